// Statements: made by hand, or read from a document.

export { type JsonLdNode, readJsonLd } from './from-json-ld.ts'
export { type Iri, iri, literal, type Prefixes, type Quad, type Term, text, withoutRepeats } from './quads.ts'

// Statements as text.

export { writeNQuads, writeTerm } from './n-quads.ts'
export { type RdfType, rdfTypes, writeRdf } from './write.ts'
