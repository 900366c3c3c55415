/** Media types of answers. */
export const JSON_TYPE = 'application/json'
export const JSON_LD = 'application/ld+json'
export const GEO_JSON = 'application/geo+json'
export const CSV = 'text/csv'
export const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'
export const JSON_LINES = 'application/jsonl'
/** Metadata for citations: for reference managers, and in the form of DataCite. */
export const CSL_JSON = 'application/vnd.citationstyles.csl+json'
export const DATACITE_JSON = 'application/vnd.datacite.datacite+json'
export const TRIG = 'application/trig'

/** The media types in which linked data is offered besides JSON-LD. */
export const rdfTypes = ['text/turtle', 'application/n-triples', 'application/n-quads', 'application/rdf+xml'] as const
export type RdfType = (typeof rdfTypes)[number]
/** The media type of TimeMaps (RFC 7089). */
export const LINK_FORMAT = 'application/link-format'
export const HTML = 'text/html'

/**
 * The media types that `?format=` names, for links that people follow without an Accept header. A route ignores a type that it does not
 * offer.
 */
export const formatTypes: Readonly<Record<string, string>> = {
  json: JSON_TYPE,
  jsonld: JSON_LD,
  ttl: 'text/turtle',
  nt: 'application/n-triples',
  nq: 'application/n-quads',
  rdf: 'application/rdf+xml',
  geojson: GEO_JSON,
  html: HTML,
  csv: CSV,
  xlsx: XLSX,
  csl: CSL_JSON,
  datacite: DATACITE_JSON,
  jsonl: JSON_LINES,
}

/** The names that `?format=` has for these media types. */
export const formatNames = (types: readonly string[]): string[] =>
  Object.keys(formatTypes).filter((name) => types.includes(formatTypes[name] ?? ''))
