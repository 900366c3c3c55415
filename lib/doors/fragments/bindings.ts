import { invalid } from '../../base/errors.ts'
import type { Pattern } from './terms.ts'

/**
 * Bindings that restrict a pattern (brTPF, Hartig and Buil-Aranda 2016). A client that joins sends up to 64 values of its variables at
 * once, as the block of a `VALUES` clause. Example: `(?s) { (</resource/1>) (</resource/2>) }`.
 */

/** The most bindings of a request. Comunica sends as many. */
const MOST_BINDINGS = 64

/** Bindings as they were sent: the names of variables, and for each row their terms, undefined for `UNDEF`. */
export type Bindings = { variables: string[]; rows: (string | undefined)[][] }

const VARIABLE = '[?$](\\w+)'
const IRI = '<([^<>"{}|^`\\\\\\s]*)>'
const TEXT = '"((?:[^"\\\\]|\\\\.)*)"(?:@([A-Za-z][\\w-]*)|\\^\\^(?:<([^<>\\s]*)>|([^<>()\\s]+)))?'
const PLAIN = '([+-]?\\d+(?:\\.\\d+)?|true|false)(?=[\\s(){}])'
/** The next token of the block: a bracket, a variable, `UNDEF`, an address, a text, a number or a truth value. */
const token = new RegExp(`\\s*(?:([(){}])|${VARIABLE}|(UNDEF)|${IRI}|${TEXT}|${PLAIN})\\s*`, 'y')

type Token = { mark: string } | { variable: string } | { term: string | undefined }

function tokensOf(text: string): Token[] {
  const tokens: Token[] = []
  token.lastIndex = 0
  while (token.lastIndex < text.length) {
    const found = token.exec(text)
    if (!found) throw malformedBindings()
    const [, mark, variable, absent, address, words, language, type, bareType, plain] = found
    if (mark !== undefined) tokens.push({ mark })
    else if (variable !== undefined) tokens.push({ variable })
    else if (absent !== undefined) tokens.push({ term: undefined })
    else if (address !== undefined) tokens.push({ term: address })
    else if (plain !== undefined) tokens.push({ term: `"${plain}"^^${XSD}${typeOfPlain(plain)}` })
    else tokens.push({ term: textTerm(words ?? '', language, type ?? bareType) })
  }
  return tokens
}

const XSD = 'http://www.w3.org/2001/XMLSchema#'
const typeOfPlain = (text: string): string => {
  if (/^[tf]/.test(text)) return 'boolean'
  return text.includes('.') ? 'decimal' : 'integer'
}

/** A text of a query as a term, with its escapes decoded. */
function textTerm(words: string, language: string | undefined, type: string | undefined): string {
  const value = words.replace(/\\(?:u([\dA-Fa-f]{4})|(.))/gs, (_, code, mark) =>
    code ? String.fromCharCode(Number.parseInt(code, 16)) : (escapes[mark] ?? mark),
  )
  return `"${value}"${language ? `@${language}` : type ? `^^${type}` : ''}`
}
const escapes: Readonly<Record<string, string>> = { t: '\t', n: '\n', r: '\r', b: '\b', f: '\f' }

const malformedBindings = () =>
  invalid({ values: ['Give values as SPARQL has them: (?s) { (<http://example.org/1>) }.'] })

/** Reads the block of a `VALUES` clause. Fails with `invalid` if the text is malformed or has too many bindings. */
export function readBindings(text: string): Bindings {
  const tokens = tokensOf(text)
  const marks = (mark: string) => {
    const next = tokens.shift()
    if (!next || !('mark' in next) || next.mark !== mark) throw malformedBindings()
  }
  const startsWith = (mark: string) => {
    const [next] = tokens
    return next !== undefined && 'mark' in next && next.mark === mark
  }
  /** Takes tokens from the front as long as `read` accepts them. */
  const run = <T>(read: (it: Token) => T | undefined): T[] => {
    const items: T[] = []
    for (let next = tokens[0]; next; next = tokens[0]) {
      const item = read(next)
      if (item === undefined) break
      items.push(item)
      tokens.shift()
    }
    return items
  }
  const isList = startsWith('(')
  if (isList) marks('(')
  const variables = run((it) => ('variable' in it ? it.variable : undefined))
  if (isList) marks(')')
  marks('{')
  const terms = () => run((it) => ('term' in it ? { term: it.term } : undefined)).map(({ term }) => term)
  const rows: Bindings['rows'] = isList ? [] : terms().map((term) => [term])
  while (isList && startsWith('(')) {
    marks('(')
    rows.push(terms())
    marks(')')
  }
  marks('}')
  if (tokens.length > 0 || (!isList && variables.length !== 1)) throw malformedBindings()
  if (rows.some((row) => row.length !== variables.length)) throw malformedBindings()
  if (rows.length > MOST_BINDINGS) throw invalid({ values: [`Send ${MOST_BINDINGS} bindings at most.`] })
  return { variables, rows }
}

type Part = keyof Pattern
const parts: readonly Part[] = ['subject', 'predicate', 'object']

/**
 * Restricts a pattern by bindings: gives one pattern for each different restriction, without patterns that another one covers. `sent` has
 * the terms of the pattern as the client sent them, with the names of variables. `read` turns a sent term into a term of a line.
 */
export function restrictedPatterns(
  pattern: Pattern,
  sent: Readonly<Partial<Record<Part, string | undefined>>>,
  { variables, rows }: Bindings,
  read: (term: string) => string | undefined,
): Pattern[] {
  const places = parts.flatMap((part) => {
    const column = variables.indexOf(/^[?$](\w+)$/.exec(sent[part] ?? '')?.[1] ?? '')
    return column < 0 ? [] : [{ part, column }]
  })
  const all = rows.map((row) => {
    const bound = places.flatMap(({ part, column }) => {
      const term = row[column]
      return term === undefined ? [] : [[part, read(term)] as const]
    })
    return { ...pattern, ...Object.fromEntries(bound) }
  })
  const distinct = [...new Map(all.map((it) => [JSON.stringify(parts.map((part) => it[part])), it])).values()]
  return distinct.filter((it) => !distinct.some((other) => other !== it && covers(other, it)))
}

/** Whether all statements that fit one pattern fit another as well. */
export const covers = (wide: Pattern, narrow: Pattern): boolean =>
  parts.every((part) => wide[part] === undefined || wide[part] === narrow[part])
