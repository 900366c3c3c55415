import { mapAtOnce } from '../../base/concurrency.ts'
import {
  type JsonLdNode,
  type Prefixes,
  type Quad,
  type RdfType,
  readJsonLd,
  writeRdf,
} from '../../engines/rdf/index.ts'
import { findPrefix, readLines, type SortedLines } from '../../engines/sorted-lines/index.ts'
import { context } from '../linked/context.ts'
import { covers, readBindings, restrictedPatterns } from './bindings.ts'
import type { FragmentIndex } from './stored.ts'
import { askedTerm, beginningOf, type Order, type Pattern, patternOf, statementOf } from './terms.ts'

/** What a client asks for: each part of a pattern is a term or left open. */
export type Asked = {
  subject?: string | undefined
  predicate?: string | undefined
  object?: string | undefined
  /** Bindings that restrict the pattern, as the block of a `VALUES` clause. */
  values?: string | undefined
  page: number
}

/** Statements of a page. */
const PAGE = 100

const prefixes = {
  ...context,
  void: 'http://rdfs.org/ns/void#',
  rdf: 'http://www.w3.org/1999/02/22-rdf-syntax-ns#',
} as unknown as Prefixes

/**
 * Writes a page of the statements that fit a pattern, as a Triple Pattern Fragment: with their number and controls for further questions.
 * The controls are in a graph of their own. Without an index the page has no statements.
 */
export async function writeFragment(
  index: FragmentIndex | undefined,
  asked: Asked,
  at: At & { type: RdfType },
): Promise<string> {
  const { origin, type } = at
  const pattern = {
    subject: askedTerm(asked.subject, origin),
    predicate: askedTerm(asked.predicate, origin),
    object: askedTerm(asked.object, origin),
  }
  const named: Pattern = Object.fromEntries(Object.entries(pattern).filter(([, term]) => term !== undefined))
  const patterns =
    asked.values === undefined
      ? [named]
      : restrictedPatterns(named, asked, readBindings(asked.values), (term) => askedTerm(term, origin))
  const ranges = index ? await findRanges(index, patterns) : []
  const data = await readPage(ranges, (asked.page - 1) * PAGE, origin)
  const count = ranges.reduce((sum, { from, to }) => sum + to - from, 0)
  const graph = `${at.address}#metadata`
  const about = readJsonLd(controlsOf(asked, count, at), prefixes, { graph, blank: 'control' })
  return writeRdf([...data, ...about], type, prefixes)
}

/** The lines of one order that fit a pattern. */
type Range = { pattern: Pattern; order: Order; lines: SortedLines; from: number; to: number }

/** Patterns that are looked up at once. */
const AT_ONCE = 8

/** Finds the lines of each pattern. Patterns are looked up in the order of the lines, so neighbours share the blocks that are read. */
async function findRanges(index: FragmentIndex, patterns: readonly Pattern[]): Promise<Range[]> {
  const places = patterns.map((pattern) => ({ pattern, ...beginningOf(pattern) }))
  places.sort((a, b) => (`${a.order} ${a.beginning}` < `${b.order} ${b.beginning}` ? -1 : 1))
  return mapAtOnce(places, AT_ONCE, async ({ pattern, order, beginning }) => ({
    ...{ pattern, order, lines: index[order] },
    ...(await findPrefix(index[order], beginning)),
  }))
}

/** Reads the statements of a page, from the ranges one after the other. A statement that fits two patterns is shown with the first. */
async function readPage(ranges: readonly Range[], offset: number, origin: string): Promise<Quad[]> {
  const quads: Quad[] = []
  let [skip, left] = [offset, PAGE]
  for (const [at, { order, lines, from, to }] of ranges.entries()) {
    const first = Math.min(to, from + skip)
    const last = Math.min(to, first + left)
    skip -= first - from
    left -= last - first
    if (first === last) continue
    const earlier = ranges.slice(0, at)
    for (const line of await readLines(lines, first, last)) {
      const told = patternOf(order, line)
      if (!earlier.some(({ pattern }) => covers(pattern, told))) quads.push(statementOf(order, line, origin))
    }
    if (left === 0) break
  }
  return quads
}

/** `address` is the address that the client requested: clients find the controls of a page by it. */
type At = { origin: string; address: string }

/** The address of a page. The first page is the one without a number. */
function addressOf(asked: Asked, page: number, origin: string): string {
  const query = new URLSearchParams()
  for (const name of ['subject', 'predicate', 'object', 'values'] as const)
    if (asked[name]) query.set(name, asked[name])
  if (page > 1) query.set('page', String(page))
  const search = query.toString()
  return `${origin}/fragments/${search === '' ? '' : `?${search}`}`
}

const parts = ['subject', 'predicate', 'object']
/** The id of the property of `values` in the controls. It is the address of the paper on brTPF. */
export const BR_TPF = 'https://arxiv.org/abs/1608.08148'

function controlsOf(asked: Asked, count: number, { origin, address }: At): JsonLdNode {
  const link = (page: number, is: boolean) => (is ? { id: addressOf(asked, page, origin) } : undefined)
  const page = {
    id: address,
    type: ['hydra:PartialCollectionView', 'void:Dataset'],
    'dcterms:source': { id: datasetOf(origin) },
    'void:triples': count,
    'hydra:totalItems': count,
    'hydra:itemsPerPage': PAGE,
    'hydra:first': link(1, true),
    'hydra:previous': link(asked.page - 1, asked.page > 1),
    'hydra:next': link(asked.page + 1, asked.page * PAGE < count),
    'hydra:last': link(Math.max(1, Math.ceil(count / PAGE)), true),
  }
  const dataset = {
    id: datasetOf(origin),
    type: ['void:Dataset', 'hydra:Collection'],
    'void:subset': page,
    // Clients of TPF use the form with three members. The form with `values` says that bindings are accepted, too.
    'hydra:search': [parts, [...parts, 'values']].map((names) => ({
      'hydra:template': `${origin}/fragments/{?${names}}`,
      'hydra:variableRepresentation': { id: 'hydra:ExplicitRepresentation' },
      'hydra:mapping': names.map((name) => ({
        'hydra:variable': name,
        'hydra:property': { id: name === 'values' ? BR_TPF : `rdf:${name}` },
      })),
    })),
  }
  return { id: `${address}#metadata`, 'foaf:primaryTopic': dataset }
}

/** The address that names all public statements as one dataset. */
export const datasetOf = (origin: string): string => `${origin}/.well-known/void/#dataset`
