import { formatTypes, GEO_JSON, HTML, JSON_LD } from '../../platform/http/media.ts'

const labels: Readonly<Record<string, string>> = {
  'application/json': 'JSON',
  [JSON_LD]: 'JSON-LD',
  'text/turtle': 'Turtle',
  'application/n-triples': 'N-Triples',
  'application/n-quads': 'N-Quads',
  'application/rdf+xml': 'RDF/XML',
  [GEO_JSON]: 'GeoJSON',
  [HTML]: 'HTML',
}

/** A form of a record: its name in `?format=`, its media type, and how people call it. */
export type Format = { name: string; type: string; label: string }

/**
 * The forms of a record at its address that stays, in the order in which they are offered. To add a syntax of RDF, add it to
 * `rdfTypes`, and its name to `formatTypes`: page, header `Link` and negotiation follow.
 */
export const recordFormats: readonly Format[] = Object.entries(formatTypes).flatMap(([name, type]) => {
  const label = labels[type]
  return label === undefined ? [] : [{ name, type, label }]
})
