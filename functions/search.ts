import '../lib/domain/composition.ts'
import * as v from 'valibot'
import * as s from '../lib/base/shapes.ts'
import { kinds } from '../lib/domain/kinds/index.ts'
import { discoveryGroups, firstSearchGroups, kindOfResource, resources } from '../lib/domain/kinds/resources.ts'
import { visibleRecords } from '../lib/domain/records/search.ts'
import { showRecords } from '../lib/domain/records/shown.ts'
import { loadDateDisplay } from '../lib/domain/records/views/dates.ts'
import { recordRow } from '../lib/domain/records/views/record.ts'
import { rowShape } from '../lib/domain/records/views/record-shape.ts'
import { readFilters } from '../lib/doors/discovery/filters.ts'
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
import { answerCache, openSearchModel } from '../lib/engines/search/index.ts'
import { ok, withTable, withTypes } from '../lib/platform/http/answer.ts'
import { endpoint } from '../lib/platform/http/endpoint.ts'
import { GEO_JSON } from '../lib/platform/http/media.ts'
import { Reply } from '../lib/platform/http/reply.ts'
import { listRoute, type Routes } from '../lib/platform/http/route.ts'
import { dateStyleOf } from '../lib/platform/http/shown-dates.ts'
import type { Actor } from '../lib/platform/permissions.ts'
import { citations } from './search/citations.ts'

const MOST_SUGGESTED = 10
const MOST_DISCOVERED = 100
/** The most rows of each of the ten groups of the old search. */
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

/** Search over all items that have a name, and citations of answers. */
export const routes = withTables({
  'GET /data/search/': listRoute({
    permission: 'search.read',
    summary: 'Find records, projects and people',
    description:
      'In any script and spelling. Whoever is not signed in is shown what is published. `facets` is null unless it is asked for. `interpreted` tells which words were taken for a place, a sort of thing, a deity, a time, an order, or for what is `excluded`; `left_out` names the words that no answer holds. `literal=true` takes every word as it is; `without`, with the `key` of a part of `interpreted`, takes only this part so, and may be repeated. A question may exclude (`stupas not in Patan`, `-shiva`), say near what (`near Boudha`, `within 500 m of`), when (`before 1700`, `in May`) and in which order (`oldest`), or be an identifier. `bbox` is west,south,east,north; `near` is latitude,longitude; `from` and `to` are years of our era, Bikram Sambat (BS 1759) or Nepal Sambat (NS 822). Without `q` one of these is needed. With `application/geo+json` all that has a place comes at once, or, beyond 5,000 points, cells of a geohash grid.',
    answer: withTable(withTypes(ok(SearchResultsView), { [GEO_JSON]: SearchMapView })),
    answerHeaders: ['X-Cache'],
    query: SearchParams,
    repeated: REPEATED,
    handle: async ({ query, actor, scope, request }) => {
      const { q, page, page_size, sort, facets: wantsFacets, calendar } = query
      const showing = dateStyleOf(request, calendar)
      const filters = readFilters(query, actor, scope)
      const model = await openSearchModel()
      const findPage = async () => {
        const { hits, count, interpreted, left_out, did_you_mean } = await model.search({
          ...filters,
          sort,
          offset: (page - 1) * page_size,
          limit: page_size,
          snippets: true,
        })
        return {
          count,
          interpreted: interpreted ?? [],
          left_out: left_out ?? [],
          did_you_mean: did_you_mean ?? null,
          results: hits.map((it) => withYears(resultView(it), it, showing)),
        }
      }
      const countFacets = async () => (await model.search({ ...filters, limit: 0, facets: true })).facets ?? noFacets
      const [found, facets] = actor
        ? [await findAfresh(findPage), wantsFacets ? await findAfresh(countFacets) : undefined]
        : [
            await keptPages(model.state, [filters, sort, page, page_size, showing], findPage),
            wantsFacets ? await keptFacets(model.state, filters, countFacets) : undefined,
          ]
      const { count, ...others } = found.value
      const body = { q, page, page_size, count, facets: facets?.value ?? null, ...others }
      return cacheable(actor, body, found.hit && facets?.hit !== false)
    },
    representations: {
      [GEO_JSON]: async ({ query, actor, scope }) => {
        const model = await openSearchModel()
        return mapView(await model.map({ ...readFilters(query, actor, scope), limit: 0 }))
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
      const { value, hit } = await keptSuggestions(model.state, q, guess)
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
      const dating = await loadDateDisplay([...heads.values()], dateStyleOf(request, calendar), actor)
      const rows = (hits: readonly Hit[]) =>
        hits.flatMap(({ id }) => heads.get(id) ?? []).map((it) => dating.addDates(recordRow(it, actor), it))
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
      const showing = dateStyleOf(request, calendar)
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

  ...citations,
} satisfies Routes)

export const handler = endpoint(routes)

type FoundPage = Required<Pick<SearchResult, 'count' | 'interpreted' | 'left_out'>> & {
  did_you_mean: string | null
  results: ReturnType<typeof withYears<ReturnType<typeof resultView>>>[]
}
const keptPages = answerCache<FoundPage>(60)
const keptFacets = answerCache<Facets>(300)
const keptSuggestions = answerCache<ReturnType<typeof suggestionView>[]>(60)
const noFacets: Facets = { resource: {}, status: {} }

/** Answers for signed-in callers depend on the caller, so they bypass the cache. */
const findAfresh = async <T>(find: () => Promise<T>) => ({ value: await find(), hit: false })

/** Caches may store a public answer for a minute, and no answer to a signed-in caller. */
function cacheable<Body>(actor: Actor | null, body: Body, isHit = false): Reply<200, Body> {
  if (actor) return new Reply(200, body, { 'x-cache': 'bypass' })
  return new Reply(200, body, {
    'x-cache': isHit ? 'hit' : 'miss',
    'cache-control': 'public, max-age=60',
    vary: 'Origin, Accept, Accept-Encoding, Authorization, Cookie, X-Dev-User',
  })
}
