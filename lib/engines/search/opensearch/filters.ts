import { canRead, type Scope } from '../../../base/visibility.ts'
import type { SearchQuery, SortOrder } from '../query.ts'
import type { Json } from './client.ts'
import { NEVER } from './layout.ts'

/** Ids of documents that the server must not show: they have changed, and the server lacks the change. */
export type Withheld = readonly string[]

const is = (field: string, value: unknown): Json => ({ term: { [field]: value } })
const isAny = (field: string, values: readonly unknown[]): Json => ({ terms: { [field]: values } })
export const all = (...filter: readonly Json[]): Json => ({ bool: { filter } })
/** Documents that match one of these at least. OpenSearch would take an empty list for "all". */
export const any = (should: readonly Json[]): Json =>
  should.length === 0 ? { match_none: {} } : { bool: { should, minimum_should_match: 1 } }
export const none = (mustNot: readonly Json[]): Json => ({ bool: { must_not: mustNot } })

const both = [true, false]

/** What a scope may read: the one rule on reading, applied to each combination of facts. */
export function scopeFilter(scope: Scope): Json {
  const allowed = both.flatMap((isPublished) =>
    both.flatMap((isForEveryone) => {
      const mayRead = (isOwn: boolean) => canRead({ isDeleted: false, isPublished, isForEveryone, isOwn }, scope)
      const facts = [is('published', isPublished), is('open', isForEveryone)]
      if (mayRead(false)) return [all(...facts)]
      return scope.own !== null && mayRead(true) ? [all(...facts, is('contributor', scope.own))] : []
    }),
  )
  return all(is('alive', true), any(allowed))
}

/** The filters of a query. `titled`: for each facet, the records whose present title is one of the values asked for. */
export function filtersOf(
  query: Omit<SearchQuery, 'limit' | 'text'>,
  withheld: Withheld,
  titled: Readonly<Record<string, readonly string[]>> = {},
): Json {
  const { scope, resources, statuses, published, headings = {}, contributor, values = {}, box, near, years } = query
  const filters = [
    scopeFilter(scope),
    ...(resources ? [isAny('resource', resources)] : []),
    ...(statuses ? [isAny('status', statuses)] : []),
    ...(published === undefined ? [] : [is('published', published)]),
    ...(contributor === undefined ? [] : [is('contributor', contributor)]),
    ...Object.entries(headings).flatMap(([name, value]) =>
      value === undefined ? [] : [is('headings', `${name}=${value}`)],
    ),
    ...Object.entries(values).flatMap(([facet, accepted]) =>
      accepted ? [facetFilter(facet, accepted, titled[facet] ?? [])] : [],
    ),
    ...(box ? [boxFilter(box)] : []),
    ...(near ? [nearFilter(near, near.within)] : []),
    ...(years ? [yearFilter(years)] : []),
  ]
  return { bool: { filter: filters, ...(withheld.length > 0 && { must_not: [{ ids: { values: withheld } }] }) } }
}

/** Documents with one of these values of a facet, or with a link to one of these records. */
const facetFilter = (facet: string, accepted: readonly string[], records: readonly string[]): Json =>
  any([
    isAny(
      `value.${facet}`,
      accepted.map((it) => it.toLowerCase()),
    ),
    isAny(`link.${facet}`, records),
  ])

/** If west is greater than east, the box crosses the 180th meridian. */
function boxFilter({ west, south, east, north }: NonNullable<SearchQuery['box']>): Json {
  const [fromWest, toEast] = [{ range: { lng: { gte: west } } }, { range: { lng: { lte: east } } }]
  const across = west <= east ? all(fromWest, toEast) : any([fromWest, toEast])
  return all(across, { range: { lat: { gte: south, lte: north } } })
}

export const nearFilter = ({ lat, lng }: { lat: number; lng: number }, kilometres: number): Json => ({
  geo_distance: { distance: `${kilometres * 1000}m`, point: { lat, lon: lng } },
})

const finite = (year: number) => Math.max(-NEVER, Math.min(NEVER, year))
/** Documents whose years may overlap with these. */
const yearFilter = ({ from, to }: NonNullable<SearchQuery['years']>): Json =>
  all({ range: { from: { lte: finite(to) } } }, { range: { to: { gte: finite(from) } } })
/** Documents whose years are exact and within these. */
export const certainFilter = ({ from, to }: NonNullable<SearchQuery['years']>): Json =>
  all(is('approximate', false), { range: { from: { gte: finite(from) } } }, { range: { to: { lte: finite(to) } } })

/** The order of results without regard to a text. Documents that tie are in the order of their ids, in the same direction. */
export function orderOf(sort: SortOrder, near: SearchQuery['near']): readonly Json[] {
  const by = (order: 'asc' | 'desc', ...fields: string[]) =>
    [...fields, 'order'].map((field) => ({ [field]: { order } }))
  const orders: Record<SortOrder, () => readonly Json[]> = {
    relevance: () => by('desc', 'updated'),
    newest: () => by('desc', 'updated'),
    popularity: () => by('desc', 'popularity_score', 'updated'),
    created: () => by('asc', 'created'),
    '-created': () => by('desc', 'created'),
    name: () => by('asc', 'name_key'),
    '-name': () => by('desc', 'name_key'),
    distance: () => (near ? [nearestFirst(near), { order: 'asc' }] : by('asc')),
  }
  return orders[sort]()
}
export const nearestFirst = ({ lat, lng }: { lat: number; lng: number }): Json => ({
  _geo_distance: { point: { lat, lon: lng }, order: 'asc', unit: 'm' },
})
/** By the score of the server. Of equal scores the lowest id comes first, as in the embedded engine. */
export const bestFirst: readonly Json[] = [{ _score: 'desc' }, { order: 'asc' }]
