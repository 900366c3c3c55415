/** A term of RDF: an IRI, a blank node (a thing without a name), or a literal with its datatype or language. */
export type Iri = { kind: 'iri'; value: string }
export type Blank = { kind: 'blank'; value: string }
export type Literal = { kind: 'literal'; value: string; datatype: string; language?: string }
export type Term = Iri | Blank | Literal

/** A statement. Without `graph` it is in the default graph. */
export type Quad = { subject: Iri | Blank; predicate: Iri; object: Term; graph?: Iri }

/** IRIs by prefix or term, such as `rdfs` for `http://www.w3.org/2000/01/rdf-schema#`. */
export type Prefixes = Readonly<Record<string, string>>

export const XSD = 'http://www.w3.org/2001/XMLSchema#'
export const RDF = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#'
export const RDF_TYPE = `${RDF}type`

/** Makes an IRI. Characters that no IRI may have are percent-encoded. */
export const iri = (value: string): Iri => ({ kind: 'iri', value: value.replace(FORBIDDEN, encodeURIComponent) })
const FORBIDDEN = /[\u0000-\u0020<>"{}|^`\\]/g

export const text = (value: string, language?: string): Literal =>
  language ? { kind: 'literal', value, datatype: `${RDF}langString`, language } : literal(value, `${XSD}string`)
export const literal = (value: string, datatype: string): Literal => ({ kind: 'literal', value, datatype })

/** Two terms are the same if and only if their keys are. */
export const keyOf = (term: Term): string =>
  term.kind === 'literal' ? `"${term.value}"${term.language ?? ''}^${term.datatype}` : `${term.kind} ${term.value}`

/** The statements without repeated ones, in their order. */
export function withoutRepeats(quads: readonly Quad[]): Quad[] {
  const known = new Map<string, Quad>()
  for (const it of quads) {
    const key = [it.subject, it.predicate, it.object, ...(it.graph ? [it.graph] : [])].map(keyOf).join('\n')
    if (!known.has(key)) known.set(key, it)
  }
  return [...known.values()]
}
