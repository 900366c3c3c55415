// Statements of a document, and how they are written.

export { type JsonLdNode, readJsonLd } from './from-json-ld.ts'
export type { Prefixes } from './quads.ts'
export { type RdfType, rdfTypes, writeRdf } from './write.ts'
