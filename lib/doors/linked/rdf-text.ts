import { type JsonLdNode, type Prefixes, type RdfType, readJsonLd, writeRdf } from '../../engines/rdf/index.ts'
import type { Node } from './context.ts'

/** Writes a document of JSON-LD, which has its `@context`, as another media type. */
export function writeDocument(document: Node, type: RdfType): string {
  const prefixes = document['@context'] as Prefixes
  return writeRdf(readJsonLd(document as JsonLdNode, prefixes), type, prefixes)
}
