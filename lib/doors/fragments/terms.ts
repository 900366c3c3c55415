import {
  type Iri,
  iri,
  literal,
  type Prefixes,
  type Quad,
  type Term,
  text,
  writeTerm,
} from '../../engines/rdf/index.ts'
import { context } from '../linked/context.ts'

/** Prefixes by which lines shorten addresses. */
const bases = Object.entries(context as Prefixes).filter(([, base]) => /[/#]$/.test(base))

/**
 * A term as a line holds it: `</cidoc/structures/7/>` for a name of ours, `crm:E5_Event` for one with a prefix, else as N-Triples write it. So
 * lines are short, and do not depend on the name of the host. A thing without a name gets one (RDF 1.1, 3.5), so that it can be asked for.
 */
export function shortTerm(term: Term): string {
  if (term.kind === 'blank') return `<${GENID}${term.value}>`
  if (term.kind === 'literal') return term.datatype.endsWith('#string') ? writeTerm(term) : shortLiteral(term)
  const known = bases.find(([, base]) => term.value.startsWith(base))
  return known ? `${known[0]}:${term.value.slice(known[1].length)}` : `<${term.value}>`
}

/** The path under which blank nodes get names (RDF 1.1, 3.5). */
const GENID = '/.well-known/genid/'

function shortLiteral(term: Term & { kind: 'literal' }): string {
  if (term.language) return writeTerm(term)
  const quoted = writeTerm({ ...term, datatype: '#string' })
  return `${quoted.slice(0, quoted.lastIndexOf('"') + 1)}^^${shortTerm(iri(term.datatype))}`
}

/** The term that a line holds, with names of ours at the address of this service. */
function longTerm(written: string, origin: string): Term {
  if (!written.startsWith('"')) return longName(written, origin)
  const end = written.lastIndexOf('"')
  const value = unescapeText(written.slice(1, end))
  const rest = written.slice(end + 1)
  if (rest.startsWith('@')) return text(value, rest.slice(1))
  return rest === '' ? text(value) : literal(value, longName(rest.slice(2), origin).value)
}

function longName(written: string, origin: string): Iri {
  if (written.startsWith('<')) {
    const inner = written.slice(1, -1)
    return { kind: 'iri', value: inner.startsWith('/') ? origin + inner : inner }
  }
  const at = written.indexOf(':')
  return { kind: 'iri', value: `${context[written.slice(0, at)]}${written.slice(at + 1)}` }
}

const marks: Readonly<Record<string, string>> = { t: '\t', b: '\b', n: '\n', r: '\r', f: '\f' }
const unescapeText = (written: string) =>
  written.replace(/\\(?:u([\dA-F]{4})|(.))/g, (_, code, mark) =>
    code ? String.fromCharCode(Number.parseInt(code, 16)) : (marks[mark] ?? mark),
  )

/**
 * The term that a query names, as a line holds it. A query gives an address as it is, or a text in quotes, with `@ne` or with `^^` and a
 * datatype behind. Undefined if any term fits: for no text, or for a variable such as `?s`. A blank node such as `_:b0` is in no line.
 */
export function askedTerm(asked: string | undefined, origin: string): string | undefined {
  if (asked === undefined || asked === '' || asked.startsWith('?')) return undefined
  const [, value, language, datatype] = /^"([\s\S]*)"(?:@([A-Za-z][\w-]*)|\^\^<?([^<>]*)>?)?$/.exec(asked) ?? []
  if (value !== undefined) return shortTerm(datatype ? literal(value, datatype) : text(value, language))
  const address = asked.replace(/^<(.*)>$/s, '$1')
  return shortTerm(iri(address.startsWith(`${origin}/`) ? address.slice(origin.length) : address))
}

/** The orders in which lines are sorted. Whichever terms a pattern names, lines of one order begin with these terms. */
export const orders = {
  spo: ['subject', 'predicate', 'object'],
  pos: ['predicate', 'object', 'subject'],
  osp: ['object', 'subject', 'predicate'],
} as const
export type Order = keyof typeof orders
export const orderNames = Object.keys(orders) as Order[]
export type Pattern = Partial<Record<'subject' | 'predicate' | 'object', string>>

/** A statement as a line of an order. Each term ends with a tab, which no term contains. */
export const lineOf = (order: Order, it: Required<Pattern>): string =>
  orders[order].map((name) => `${it[name]}\t`).join('')

/** The order for a pattern, and the beginning of the lines that fit it. */
export function beginningOf(pattern: Pattern): { order: Order; beginning: string } {
  const named = (order: Order) => {
    const found = orders[order].findIndex((name) => pattern[name] === undefined)
    return found === -1 ? 3 : found
  }
  const order = orderNames.reduce((best, it) => (named(it) > named(best) ? it : best))
  const terms = orders[order].slice(0, named(order))
  return { order, beginning: terms.map((name) => `${pattern[name]}\t`).join('') }
}

/** The terms of a line, as lines hold them. */
export function patternOf(order: Order, line: string): Required<Pattern> {
  const terms = line.split('\t')
  const term = (name: keyof Pattern) => terms[orders[order].indexOf(name as never)] ?? ''
  return { subject: term('subject'), predicate: term('predicate'), object: term('object') }
}

/** The statement of a line. */
export function statementOf(order: Order, line: string, origin: string): Quad {
  const terms = patternOf(order, line)
  const term = (name: keyof Pattern) => longTerm(terms[name], origin)
  return { subject: term('subject') as Iri, predicate: term('predicate') as Iri, object: term('object') }
}
