import '../lib/domain/composition.ts'
import * as v from 'valibot'
import { invalid } from '../lib/base/errors.ts'
import * as s from '../lib/base/shapes.ts'
import type { Scope } from '../lib/base/visibility.ts'
import { kinds } from '../lib/domain/kinds/index.ts'
import { discoveryGroups, firstSearchGroups, kindOfResource, resources } from '../lib/domain/kinds/resources.ts'
import { visibleRecords } from '../lib/domain/records/search.ts'
import { showRecords } from '../lib/domain/records/shown.ts'
import { loadDateDisplay } from '../lib/domain/records/views/dates.ts'
import { rowOf } from '../lib/domain/records/views/record.ts'
import { rowShape } from '../lib/domain/records/views/record-shape.ts'
import { facetNames } from '../lib/domain/search-words/facets.ts'
import { DiscoveryQuery, GroupedQuery, REPEATED, RequiredQuery, SearchParams } from '../lib/doors/discovery/queries.ts'
import {
  CompletionsView,
  DiscoveryView,
  discoveryView,
  mapView,
  resultView,
  SearchMapView,
  SearchResultsView,
  suggestionView,
  withYears,
} from '../lib/doors/discovery/view.ts'
import { withTables } from '../lib/doors/exports/list-tables.ts'
import type { Facets, Hit, SearchResult } from '../lib/engines/search/index.ts'
import { answerCache, openSearchModel, readWhere } from '../lib/engines/search/index.ts'
import { ok, withTable, withTypes } from '../lib/platform/http/answer.ts'
import { endpoint } from '../lib/platform/http/endpoint.ts'
import { MAPPED } from '../lib/platform/http/media.ts'
import { Reply } from '../lib/platform/http/reply.ts'
import { listRoute, type Routes } from '../lib/platform/http/route.ts'
import { showingOf } from '../lib/platform/http/showing.ts'
import type { Actor } from '../lib/platform/permissions.ts'

const MOST_SUGGESTED = 10
const MOST_DISCOVERED = 100
/** Of each of the ten groups of the first search. */
const MOST_IN_GROUP = 50

const types: readonly string[] = Object.keys(discoveryGroups)

/** Rows of each of ten kinds, under its plural. */
const SearchedByKindView = s.shape('SearchedByKind', () =>
  v.object(
    Object.fromEntries(
      firstSearchGroups.map((resource) => {
        const key = kindOfResource(resource)
        return [resource, v.array(key ? rowShape(kinds[key]) : v.never())]
      }),
    ),
  ),
)

/** Search over everything that has a name. */
export const routes = withTables({
  'GET /data/search/': listRoute({
    permission: 'search.read',
    summary: 'Find records, projects and people',
    description:
      'In any script and spelling. Whoever is not signed in is shown what is published. `facets` is null unless it is asked for. `interpreted` tells which words were taken for a place, a sort of thing, a deity or a time; `literal=true` takes every word as it is. `bbox` is west,south,east,north; `near` is latitude,longitude; `from` and `to` are years of our era, Bikram Sambat (BS 1759) or Nepal Sambat (NS 822). Without `q` one of these is needed. With `application/geo+json` all that has a place comes at once, or, beyond 5,000 points, cells of a geohash grid.',
    answer: withTable(withTypes(ok(SearchResultsView), { [MAPPED]: SearchMapView })),
    answerHeaders: ['X-Cache'],
    query: SearchParams,
    repeated: REPEATED,
    handle: async ({ query, actor, scope, request }) => {
      const { q, page, page_size, sort, facets, calendar } = query
      const showing = showingOf(request, calendar)
      const narrowed = narrowedTo(query, actor, scope)
      const model = await openSearchModel()
      const find = async () => {
        const place = { offset: (page - 1) * page_size, limit: page_size }
        const { hits, count, interpreted, left_out, did_you_mean } = await model.search({
          ...{ ...narrowed, ...place, sort, snippets: true },
        })
        const told = { interpreted: interpreted ?? [], left_out: left_out ?? [], did_you_mean: did_you_mean ?? null }
        return { count, ...told, results: hits.map((it) => withYears(resultView(it), it, showing)) }
      }
      const count = async () => (await model.search({ ...narrowed, limit: 0, facets: true })).facets ?? none
      if (actor) return answered(actor, { q, page, page_size, ...(await find()) }, facets ? await count() : null)
      const found = await results(model.state, [narrowed, sort, page, page_size, showing], find)
      const counted = facets ? await facetCounts(model.state, narrowed, count) : undefined
      const isHit = found.hit && counted?.hit !== false
      return answered(actor, { q, page, page_size, ...found.value }, counted?.value ?? null, isHit)
    },
    representations: {
      [MAPPED]: async ({ query, actor, scope }) => {
        const found = await (await openSearchModel()).map({ ...narrowedTo(query, actor, scope), limit: 0 })
        return mapView(found)
      },
    },
  }),

  'GET /data/search/suggest/': listRoute({
    permission: 'search.read',
    summary: 'Complete what is being typed',
    answer: ok(CompletionsView),
    answerHeaders: ['X-Cache'],
    query: RequiredQuery,
    handle: async ({ query: { q }, actor, scope }) => {
      const model = await openSearchModel()
      const guess = async () =>
        (await model.suggest({ text: q, scope, resources, limit: MOST_SUGGESTED })).map(suggestionView)
      if (actor) return cacheable(actor, { q, suggestions: await guess() })
      const { value, hit } = await suggestions(model.state, q, guess)
      return cacheable(actor, { q, suggestions: value }, hit)
    },
  }),

  'GET /cidoc/search/': listRoute({
    permission: 'search.read',
    summary: 'Find records of ten kinds in which a text stands as it was typed',
    description: 'Of each kind fifty at most, the newest first.',
    answer: ok(SearchedByKindView),
    operationId: 'getCidocSearch',
    query: GroupedQuery,
    handle: async ({ query: { q, calendar }, actor, scope, request }) => {
      const model = await openSearchModel()
      const groups = await model.literal({ text: q, scope, resources: firstSearchGroups, limit: MOST_IN_GROUP })
      const visible = await visibleRecords([...groups.values()].flat(), actor)
      const heads = new Map((await showRecords(actor, [...visible.values()])).map((it) => [it.entity_id, it]))
      const dating = await loadDateDisplay([...heads.values()], showingOf(request, calendar), actor)
      const rows = (hits: readonly Hit[]) =>
        hits.flatMap(({ id }) => heads.get(id) ?? []).map((it) => dating.whole(rowOf(it, actor), it))
      return Object.fromEntries(firstSearchGroups.map((resource) => [resource, rows(groups.get(resource) ?? [])]))
    },
  }),

  'GET /cidoc/discovery/': listRoute({
    permission: 'search.read',
    summary: 'List the newest of what is published, or what fits a text',
    description: 'A hundred at most. `counts` says how many there are of each sort, whatever `type` is.',
    answer: withTable(ok(DiscoveryView)),
    query: DiscoveryQuery,
    handle: async ({ query: { q, type, calendar }, scope, request }) => {
      const showing = showingOf(request, calendar)
      const model = await openSearchModel()
      const wanted = { text: q, scope, published: true, literal: true }
      const all = await model.search({ ...wanted, resources: types, limit: 0, facets: true })
      const counts = all.facets?.resource ?? {}
      const shown = { ...wanted, resources: [type] }
      const { hits } = await model.search({ ...shown, sort: '-created', limit: MOST_DISCOVERED })
      return {
        q,
        type,
        counts: Object.fromEntries(types.map((one) => [one, counts[one] ?? 0])),
        results: hits.map((it) => withYears(discoveryView(it), it, showing)),
      }
    },
  }),
} satisfies Routes)

export const handler = endpoint(routes)

/** What is looked for. */
function narrowedTo(query: v.InferOutput<typeof SearchParams>, actor: Actor | null, scope: Scope) {
  const { q, resource, status, published, literal, sort } = query
  if (sort === 'distance' && !query.near) throw invalid({ sort: ['Give near as well: the point to measure from.'] })
  const values = Object.fromEntries(facetNames.map((facet) => [facet, query[facet]]))
  return {
    text: q,
    scope,
    resources: resource ?? resources,
    statuses: status,
    // The public is shown what is published unless it asks for the rest, of which it sees nothing.
    published: published ?? (actor ? undefined : true),
    literal,
    values,
    ...readWhere(query),
  }
}

type Answered = Required<Pick<SearchResult, 'count' | 'interpreted' | 'left_out'>> & {
  did_you_mean: string | null
  results: ReturnType<typeof withYears<ReturnType<typeof resultView>>>[]
}
const results = answerCache<Answered>(60)
const facetCounts = answerCache<Facets>(300)
const suggestions = answerCache<ReturnType<typeof suggestionView>[]>(60)
const none: Facets = { resource: {}, status: {} }

function answered(
  actor: Actor | null,
  { results, interpreted, left_out, did_you_mean, ...rest }: Told,
  facets: Facets | null,
  isHit = false,
): Reply {
  return cacheable(actor, { ...rest, facets, interpreted, left_out, did_you_mean, results }, isHit)
}
type Told = Answered & { q: string; page: number; page_size: number }

/** What the public is answered may be kept by anyone for a minute; what depends on who asks, by nobody. */
function cacheable(actor: Actor | null, body: object, isHit = false): Reply {
  if (actor) return new Reply(200, body, { 'x-cache': 'bypass' })
  return new Reply(200, body, {
    'x-cache': isHit ? 'hit' : 'miss',
    'cache-control': 'public, max-age=60',
    vary: 'Origin, Accept, Accept-Encoding, Authorization, Cookie, X-Dev-User',
  })
}
