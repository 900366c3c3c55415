import * as v from 'valibot'
import { type Fields, invalid, Problem } from '../../base/errors.ts'
import { type KindKey, kindOfSegment, kinds } from '../../domain/kinds/index.ts'
import { RecordQuery } from '../../domain/records/queries.ts'
import { publicQueryOf, recordResources } from '../../domain/records/search.ts'
import { facetNames } from '../../domain/search-words/facets.ts'
import { openSearchModel } from '../../engines/search/index.ts'
import { canonicalPath } from '../../platform/http/path.ts'
import { scopeOf } from '../../platform/permissions.ts'
import { readFilters } from '../discovery/filters.ts'
import { REPEATED, SearchParams } from '../discovery/queries.ts'
import type { Question } from './items.ts'

const SEARCH = '/data/search/'
const somewhere = ['bbox', 'near', 'within', 'from', 'to']
/** The members of a query that a citation keeps. */
const keptOfList: readonly string[] = ['search', 'category', 'contributor', ...somewhere]
const keptOfSearch: readonly string[] = ['q', 'resource', 'literal', 'without', ...facetNames, ...somewhere]
/** Members that say how an answer is shown. A citation is a set, so they have no effect on it. */
const ofDisplay: readonly string[] = [
  ...['limit', 'offset', 'page', 'page_size', 'hint', 'ordering', 'sort'],
  ...['facets', 'calendar', 'format', 'columns', 'published'],
]

/** Reads the address of a list or search as a question. Fails with `invalid` for what cannot be cited. */
export function readQuestion(address: string, origin: string): Question {
  const url = URL.canParse(address, origin) ? new URL(address, origin) : undefined
  const path = url?.origin === new URL(origin).origin ? canonicalPath(url.pathname) : ''
  if (!url || (path !== SEARCH && listedKind(path) === undefined))
    throw invalid({
      of: ['Cite a list of records, such as /cidoc/structures/, or a search, such as /data/search/?q=patan.'],
    })
  const kept = path === SEARCH ? keptOfSearch : keptOfList
  const query: [string, string][] = []
  for (const [name, value] of url.searchParams) {
    if (value.trim() === '' || ofDisplay.includes(name)) continue
    if (!kept.includes(name))
      throw invalid({ of: [`A citation holds what everyone may read. It cannot keep "${name}".`] })
    query.push([name, value])
  }
  const question = { path, query: query.sort((a, b) => (a.join() < b.join() ? -1 : 1)) }
  checkQuestion(question)
  return question
}

/** The kind that a path lists. Undefined if it lists none. */
export function listedKind(path: string): KindKey | undefined {
  const kind = kindOfSegment(/^\/cidoc\/([^/]+)\/$/.exec(path)?.[1] ?? '')
  return kind?.record ? kind.key : undefined
}

/** The kind whose whole list a question asks for. Undefined for any other question, whose answer at a past moment cannot be computed. */
export const wholeListOf = ({ path, query }: Question): KindKey | undefined =>
  query.length === 0 ? listedKind(path) : undefined

/** The address of a question. */
export function addressOfQuestion({ path, query }: Question, origin: string): string {
  const url = new URL(path, origin)
  for (const [name, value] of query) url.searchParams.append(name, value)
  return url.href
}

/** What a question is called, in English. Example: "Search: patan temples". */
export function titleOf({ path, query }: Question): string {
  const kind = listedKind(path)
  const words = query.filter(([name]) => name === 'q' || name === 'search').map(([, value]) => value)
  const others = query.filter(([name]) => name !== 'q' && name !== 'search').map((it) => it.join(': '))
  const head = kind ? kinds[kind].labelPlural : 'Search'
  return [[head, ...words].join(': '), ...(others.length > 0 ? [`(${others.join('; ')})`] : [])].join(' ')
}

/** Fails with `invalid` if a member of the question has a wrong value. The faults stand under `of`. */
function checkQuestion(question: Question): void {
  try {
    modelQueryOf(question)
  } catch (error) {
    if (error instanceof Problem && error.fields) throw invalid({ of: error.fields })
    throw error
  }
}

/** The query of the search model for what everyone may read. */
function modelQueryOf({ path, query }: Question) {
  const kind = listedKind(path)
  const single = Object.fromEntries(query)
  if (kind) return publicQueryOf({ ...parseMembers(RecordQuery, single), kind })
  const repeated = Object.fromEntries(REPEATED.map((name) => [name, valuesIn(query, name)]))
  const filters = readFilters(parseMembers(SearchParams, { ...single, ...repeated }), null, scopeOf(null))
  const among = filters.resources.filter((resource) => recordResources.includes(resource))
  if (among.length === 0) throw invalid({ resource: ['Only records are cited.'] })
  return { ...filters, resources: among, published: true }
}

const valuesIn = (query: Question['query'], wanted: string) =>
  query.flatMap(([name, value]) => (name === wanted ? [value] : []))

function parseMembers<S extends v.GenericSchema>(schema: S, members: object): v.InferOutput<S> {
  const result = v.safeParse(schema, members)
  if (result.success) return result.output
  const faults: Fields = {}
  for (const { path, message } of result.issues) faults[String(path?.[0]?.key ?? 'non_field_errors')] = [message]
  throw invalid(faults)
}

/** Finds the review identities of the records that answer a question now, sorted. `count` is exact, even if there are more than `most`. */
export async function findAnswers(question: Question, most: number): Promise<{ ids: string[]; count: number }> {
  const query = modelQueryOf(question)
  const { hits, count } = query ? await (await openSearchModel()).search({ ...query, limit: most }) : noHits
  return { ids: [...new Set(hits.map(({ id }) => id))].sort(), count }
}
const noHits = { hits: [], count: 0 }
