import '../lib/effects/search-documents.ts'
import type * as v from 'valibot'
import { DiscoveryQuery, GroupedQuery, REPEATED, RequiredQuery, SearchQuery } from '../lib/discovery/queries.ts'
import { discoveryView, mapView, resultView, suggestionView, withYears } from '../lib/discovery/view.ts'
import { invalid } from '../lib/errors.ts'
import { withTables } from '../lib/exports/list-tables.ts'
import { endpoint } from '../lib/http/endpoint.ts'
import { MAPPED } from '../lib/http/media.ts'
import { Reply } from '../lib/http/reply.ts'
import { listRoute, type Routes } from '../lib/http/route.ts'
import { showingOf } from '../lib/http/showing.ts'
import { discovered, resources, searchedFirst } from '../lib/kinds/resources.ts'
import type { Actor, Scope } from '../lib/permissions.ts'
import { visibleRecords } from '../lib/records/search.ts'
import { shownTo } from '../lib/records/shown.ts'
import { datingOf } from '../lib/records/views/dates.ts'
import { rowOf } from '../lib/records/views/record.ts'
import { keeper } from '../lib/search/answer-cache.ts'
import { facetNames } from '../lib/search/document.ts'
import { searchModel } from '../lib/search/model/follower.ts'
import type { Facets, Hit, SearchResult } from '../lib/search/query.ts'
import { whereOf } from '../lib/search/where.ts'

const MOST_SUGGESTED = 10
const MOST_DISCOVERED = 100
/** Of each of the ten groups of the first search. */
const MOST_IN_GROUP = 50

const types: readonly string[] = Object.keys(discovered)

/** Search over everything that has a name. */
export const routes = withTables({
  'GET /data/search/': listRoute({
    permission: 'search.read',
    query: SearchQuery,
    repeated: REPEATED,
    handle: async ({ query, actor, scope, request }) => {
      const { q, page, page_size, sort, facets, calendar } = query
      const showing = showingOf(request, calendar)
      const narrowed = narrowedTo(query, actor, scope)
      const model = await searchModel()
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
        const found = await (await searchModel()).map({ ...narrowedTo(query, actor, scope), limit: 0 })
        return mapView(found)
      },
    },
  }),

  'GET /data/search/suggest/': listRoute({
    permission: 'search.read',
    query: RequiredQuery,
    handle: async ({ query: { q }, actor, scope }) => {
      const model = await searchModel()
      const guess = async () =>
        (await model.suggest({ text: q, scope, resources, limit: MOST_SUGGESTED })).map(suggestionView)
      if (actor) return cacheable(actor, { q, suggestions: await guess() })
      const { value, hit } = await suggestions(model.state, q, guess)
      return cacheable(actor, { q, suggestions: value }, hit)
    },
  }),

  'GET /cidoc/search/': listRoute({
    permission: 'search.read',
    query: GroupedQuery,
    handle: async ({ query: { q, calendar }, actor, scope, request }) => {
      const model = await searchModel()
      const groups = await model.literal({ text: q, scope, resources: searchedFirst, limit: MOST_IN_GROUP })
      const visible = await visibleRecords([...groups.values()].flat(), actor)
      const heads = new Map((await shownTo(actor, [...visible.values()])).map((it) => [it.entity_id, it]))
      const dating = await datingOf([...heads.values()], showingOf(request, calendar), actor)
      const rows = (hits: readonly Hit[]) =>
        hits.flatMap(({ id }) => heads.get(id) ?? []).map((it) => dating.whole(rowOf(it, actor), it))
      return Object.fromEntries(searchedFirst.map((resource) => [resource, rows(groups.get(resource) ?? [])]))
    },
  }),

  'GET /cidoc/discovery/': listRoute({
    permission: 'search.read',
    query: DiscoveryQuery,
    handle: async ({ query: { q, type, calendar }, scope, request }) => {
      const showing = showingOf(request, calendar)
      const model = await searchModel()
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
function narrowedTo(query: v.InferOutput<typeof SearchQuery>, actor: Actor | null, scope: Scope) {
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
    ...whereOf(query),
  }
}

type Answered = Required<Pick<SearchResult, 'count' | 'interpreted' | 'left_out'>> & {
  did_you_mean: string | null
  results: ReturnType<typeof withYears<ReturnType<typeof resultView>>>[]
}
const results = keeper<Answered>(60)
const facetCounts = keeper<Facets>(300)
const suggestions = keeper<ReturnType<typeof suggestionView>[]>(60)
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
