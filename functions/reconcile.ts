import '../lib/domain/composition.ts'
import * as v from 'valibot'
import { invalid } from '../lib/base/errors.ts'
import * as s from '../lib/base/shapes.ts'
import { kindOfResource, resourceOf } from '../lib/domain/kinds/resources.ts'
import { loadRecordById } from '../lib/domain/records/load.ts'
import { showRecord } from '../lib/domain/records/shown.ts'
import { ExtendedView, extendRecords } from '../lib/doors/reconcile/extend.ts'
import { SCRIPT, withCallback } from '../lib/doors/reconcile/jsonp.ts'
import {
  ManifestView,
  manifest,
  matchedKinds,
  propertiesOf,
  type Type,
  typeEntry,
  typeOf,
  types,
} from '../lib/doors/reconcile/manifest.ts'
import { type Asker, CandidatesView, matchQueries } from '../lib/doors/reconcile/match.ts'
import { previewOf } from '../lib/doors/reconcile/preview.ts'
import { Prefix, ProposeQuery, ReconcileBody, ReconcileQuery } from '../lib/doors/reconcile/queries.ts'
import { listSharedLinks, ResolvedLinkView, resolveLink } from '../lib/doors/reconcile/resolve.ts'
import { fold } from '../lib/engines/matching/index.ts'
import { openSearchModel } from '../lib/engines/search/index.ts'
import { bytes, ok } from '../lib/platform/http/answer.ts'
import { endpoint } from '../lib/platform/http/endpoint.ts'
import { ByEntity, MISSING } from '../lib/platform/http/params.ts'
import { replyContent } from '../lib/platform/http/reply.ts'
import { actorRoute, listRoute, publicRoute, type Routes, readRoute } from '../lib/platform/http/route.ts'
import { sealText, unsealText } from '../lib/platform/http/seal.ts'

const asked = v.union([CandidatesView, ExtendedView])

const MOST_SUGGESTED = 10
/** The paths of the names of types, which are translated. */
const NAMED = ['*.result.*.type.*.name', 'defaultTypes.*.name']
const REPORT = 'links that several claim'
const Resolved = v.object(
  { same_as: v.pipe(v.string(MISSING), v.trim(), v.minLength(1, MISSING), v.maxLength(500, 'This is too long.')) },
  MISSING,
)

/** Returns candidates for `queries`, or values of records for `extend`. Undefined if the request has neither. */
async function answerQueries({ queries, extend }: v.InferOutput<typeof ReconcileBody>, asker: Asker) {
  if (queries && extend) throw invalid({ extend: ['Ask either queries or extend.'] })
  if (extend) return extendRecords(extend, asker.actor)
  if (!queries) return undefined
  const found = await matchQueries(await openSearchModel(), queries, asker)
  return Object.fromEntries([...found].map(([name, result]) => [name, { result }]))
}

const SuggestedEntitiesView = s.shape('SuggestedEntities', () =>
  v.object({
    result: v.array(v.object({ ...typeEntry().entries, description: s.text, notable: v.array(typeEntry()) })),
  }),
)
const SuggestedTypesView = s.shape('SuggestedTypes', () => v.object({ result: v.array(typeEntry()) }))
const ProposedPropertiesView = s.shape('ProposedProperties', () =>
  v.object({ type: v.optional(s.text), limit: s.whole, properties: v.array(typeEntry()) }),
)

/** 200 with JSON, or with a script that passes the JSON to a callback function. */
const scriptable = <S extends s.Schema>(shape: S) => ({ 200: { shape, types: [SCRIPT] } }) as const

/** Reconciliation Service API 0.2: other tools match their columns with our records, and take values from them. */
export const routes = {
  'GET /data/reconcile/': listRoute({
    permission: 'search.read',
    summary: 'Describe the reconciliation service, or ask it by a query',
    description: 'Give this address to OpenRefine as that of a service.',
    answer: scriptable(v.union([ManifestView, asked])),
    query: ReconcileQuery,
    translatedPaths: NAMED,
    handle: async ({ query, request, ...asker }) =>
      (await answerQueries(query, { ...asker, say: request.say })) ?? manifest(request.origin),
  }),

  'POST /data/reconcile/': listRoute({
    permission: 'search.read',
    summary: 'Match names with records, or take values from records',
    description:
      'Up to 100 `queries`, each answered by its name, or `extend` with up to 100 ids: as a form, or as JSON.',
    answer: ok(asked),
    body: ReconcileBody,
    urlencoded: true,
    translatedPaths: NAMED,
    handle: async ({ body, request, ...asker }) => {
      const answer = await answerQueries(body, { ...asker, say: request.say })
      if (!answer) throw invalid({ queries: ['Send queries or extend.'] })
      return answer
    },
  }),

  'GET /data/reconcile/suggest/entity/': listRoute({
    permission: 'search.read',
    summary: 'Complete the name of a record',
    answer: scriptable(SuggestedEntitiesView),
    translatedPaths: ['result.*.notable.*.name'],
    query: Prefix,
    handle: async ({ query: { prefix, cursor }, scope }) => {
      if (!prefix) return { result: [] }
      const from = placeIn(cursor)
      const resources = matchedKinds.map(resourceOf)
      const visible = { ...scope, everything: false }
      const model = await openSearchModel()
      const hits = await model.suggest({ text: prefix, scope: visible, resources, limit: from + MOST_SUGGESTED })
      return {
        result: hits.slice(from).flatMap((it) => {
          const kind = kindOfResource(it.resource)
          const about = { id: it.id, name: it.title, description: it.summary || it.location_hint }
          return kind && it.is_published ? [{ ...about, notable: [typeOf(kind)] }] : []
        }),
      }
    },
  }),

  'GET /data/reconcile/suggest/property/': publicRoute({
    permission: 'registry.read',
    summary: 'Complete the name of a property',
    answer: scriptable(SuggestedTypesView),
    translatedPaths: ['result.*.name'],
    query: Prefix,
    handle: async ({ query }) => ({ result: beginning(propertiesOf(), query) }),
  }),

  'GET /data/reconcile/suggest/type/': publicRoute({
    permission: 'registry.read',
    summary: 'Complete the name of a type',
    answer: scriptable(SuggestedTypesView),
    translatedPaths: ['result.*.name'],
    query: Prefix,
    handle: async ({ query }) => ({ result: beginning(types, query) }),
  }),

  'GET /data/reconcile/properties/': publicRoute({
    permission: 'registry.read',
    summary: 'List what records of a type say',
    answer: scriptable(ProposedPropertiesView),
    translatedPaths: ['properties.*.name'],
    query: ProposeQuery,
    handle: async ({ query: { type, limit } }) => {
      const kind = matchedKinds.find((it) => it === type)
      const proposed = type === undefined || kind ? propertiesOf(kind).slice(0, limit) : []
      return { ...(type && { type }), limit, properties: proposed }
    },
  }),

  'GET /data/resolve/': listRoute({
    permission: 'record.list',
    summary: 'Find the records that claim to be a thing of another collection',
    description:
      'However the link is written: `wd:Q37`, `https://www.wikidata.org/wiki/Q37`, `gn:1283240`, `aat:300007544`.',
    answer: ok(ResolvedLinkView),
    query: Resolved,
    handle: async ({ query: { same_as }, actor, request }) => resolveLink(same_as, actor, request.origin),
  }),

  'GET /data/resolve/shared/': actorRoute({
    permission: 'links.report',
    summary: 'List links that several records claim',
    description: 'At most one of them is right, or they are about one thing. Follow `next`; a part may be empty.',
    answer: ok(v.object({ results: v.array(ResolvedLinkView), next: v.nullable(v.string()) })),
    query: v.object({ cursor: v.optional(v.string(), '') }),
    handle: async ({ query: { cursor }, actor, request }) => {
      const { results, next } = await listSharedLinks(linkIn(cursor), actor, request.origin)
      const sealed = next && sealText(next, REPORT)
      return { results, next: sealed ? `${request.origin}/data/resolve/shared/?cursor=${sealed}` : null }
    },
  }),

  'GET /data/reconcile/preview/{entity_id}/': readRoute({
    permission: 'record.read',
    summary: 'Show a record in a frame',
    answer: bytes('text/html'),
    translatedPaths: [],
    params: v.object(ByEntity.entries),
    subject: async ({ entity_id }) => {
      const found = await loadRecordById(entity_id)
      return found?.public ? found : undefined
    },
    handle: async ({ subject, actor, request }) =>
      replyContent(previewOf(await showRecord(actor, subject), request.origin, request), 'text/html; charset=utf-8', {
        // Other sites show the preview in frames, and it runs no code.
        'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
      }),
  }),
} satisfies Routes

/** Returns the link after which a report continues. Fails with `invalid` for a cursor that this service has not made. */
function linkIn(cursor: string): string | undefined {
  const link = cursor === '' ? undefined : unsealText(cursor, REPORT)
  if (cursor !== '' && link === undefined) throw invalid({ cursor: ['This cursor was not given by this service.'] })
  return link
}

export const handler = withCallback(endpoint(routes))

/** Returns a page of the types that have a word with this beginning, in any script or spelling. */
function beginning(all: readonly Type[], { prefix = '', cursor }: v.InferOutput<typeof Prefix>): Type[] {
  const wanted = fold(prefix)
  const from = placeIn(cursor)
  const begins = ({ id, name }: Type) =>
    [id.replaceAll('_', ' '), name].some((text) => ` ${fold(text)}`.includes(` ${wanted}`))
  return all.filter(begins).slice(from, from + MOST_SUGGESTED)
}

/** The number of results that the client has already. */
const placeIn = (cursor: string) => (/^\d{1,3}$/.test(cursor) ? Number(cursor) : 0)
