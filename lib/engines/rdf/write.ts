import { writeNQuads } from './n-quads.ts'
import { type Prefixes, type Quad, withoutRepeats } from './quads.ts'
import { writeRdfXml } from './rdf-xml.ts'
import { writeTurtle } from './turtle.ts'

/** The media types that can be written. */
export const rdfTypes = [
  'text/turtle',
  'application/n-triples',
  'application/n-quads',
  'application/trig',
  'application/rdf+xml',
] as const
export type RdfType = (typeof rdfTypes)[number]

type Writer = (quads: readonly Quad[], prefixes: Prefixes) => string
const withoutGraphs = (quads: readonly Quad[]) => withoutRepeats(quads.map(({ graph: _, ...it }) => it))
const writers: Readonly<Record<RdfType, Writer>> = {
  'text/turtle': (quads, prefixes) => writeTurtle(withoutGraphs(quads), prefixes),
  'application/n-triples': (quads) => writeNQuads(withoutGraphs(quads)),
  'application/n-quads': (quads) => writeNQuads(quads),
  'application/trig': writeTurtle,
  'application/rdf+xml': (quads, prefixes) => writeRdfXml(withoutGraphs(quads), prefixes),
}

/** Writes statements as one of the media types, each statement once. Only N-Quads and TriG keep graphs. */
export function writeRdf(quads: readonly Quad[], type: RdfType, prefixes: Prefixes): string {
  return writers[type](withoutRepeats(quads), prefixes)
}
