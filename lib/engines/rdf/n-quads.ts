import { type Quad, type Term, XSD } from './quads.ts'

/** A term as N-Triples write it. */
export function writeTerm(term: Term): string {
  if (term.kind === 'iri') return `<${term.value}>`
  if (term.kind === 'blank') return `_:${term.value}`
  const quoted = `"${escapeText(term.value)}"`
  if (term.language) return `${quoted}@${term.language}`
  return term.datatype === `${XSD}string` ? quoted : `${quoted}^^<${term.datatype}>`
}

/** Escapes a text for use between quotation marks, on one line. */
export const escapeText = (value: string): string => value.replace(SPECIAL, escapeCharacter)
const SPECIAL = /["\\\u0000-\u001F\u007F]/g
const short: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\b': '\\b',
  '\t': '\\t',
  '\n': '\\n',
  '\f': '\\f',
  '\r': '\\r',
}
const escapeCharacter = (it: string) =>
  short[it] ?? `\\u${it.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`

/** Statements as N-Quads, one on a line. Without graphs they are N-Triples. */
export const writeNQuads = (quads: readonly Quad[]): string =>
  quads
    .map(({ subject, predicate, object, graph }) => {
      const terms = [subject, predicate, object, ...(graph ? [graph] : [])]
      return `${terms.map(writeTerm).join(' ')} .\n`
    })
    .join('')
