import '../lib/effects/search-documents.ts'
import * as v from 'valibot'
import { invalid } from '../lib/errors.ts'
import { endpoint } from '../lib/http/endpoint.ts'
import { ByEntity, MISSING } from '../lib/http/params.ts'
import { content } from '../lib/http/reply.ts'
import { actorRoute, listRoute, publicRoute, type Routes, readRoute } from '../lib/http/route.ts'
import { seal, unseal } from '../lib/http/seal.ts'
import { kindOfResource, resourceOf } from '../lib/kinds/resources.ts'
import { fold } from '../lib/matching/fold.ts'
import { extended } from '../lib/reconcile/extend.ts'
import { manifest, matchedKinds, propertiesOf, type Type, typeOf, types } from '../lib/reconcile/manifest.ts'
import { type Asker, candidatesFor } from '../lib/reconcile/match.ts'
import { previewOf } from '../lib/reconcile/preview.ts'
import { Asked, Prefix, ProposeQuery } from '../lib/reconcile/queries.ts'
import { claimedTwice, resolved } from '../lib/reconcile/resolve.ts'
import { loadById } from '../lib/records/load.ts'
import { shownOne } from '../lib/records/shown.ts'
import { searchModel } from '../lib/search/model/follower.ts'

const MOST_SUGGESTED = 10
/** The types that answers and the manifest name. */
const NAMED = ['*.result.*.type.*.name', 'defaultTypes.*.name']
const REPORT = 'links that several claim'
const Resolved = v.object(
  { same_as: v.pipe(v.string(MISSING), v.trim(), v.minLength(1, MISSING), v.maxLength(500, 'This is too long.')) },
  MISSING,
)

/** What is asked at the root: candidates for queries, or values of records. */
async function answered({ queries, extend }: v.InferOutput<typeof Asked>, asker: Asker): Promise<object | undefined> {
  if (queries && extend) throw invalid({ extend: ['Ask either queries or extend.'] })
  if (extend) return extended(extend, asker.actor)
  if (!queries) return undefined
  const found = await candidatesFor(await searchModel(), queries, asker)
  return Object.fromEntries([...found].map(([name, result]) => [name, { result }]))
}

/** Reconciliation Service API 0.2: other tools match their columns with our records, and take values from them. */
export const routes = {
  'GET /data/reconcile/': listRoute({
    permission: 'search.read',
    query: Asked,
    says: NAMED,
    handle: async ({ query, request, ...asker }) =>
      (await answered(query, { ...asker, say: request.say })) ?? manifest(request.origin),
  }),

  'POST /data/reconcile/': listRoute({
    permission: 'search.read',
    body: Asked,
    urlencoded: true,
    says: NAMED,
    handle: async ({ body, request, ...asker }) => {
      const answer = await answered(body, { ...asker, say: request.say })
      if (!answer) throw invalid({ queries: ['Send queries or extend.'] })
      return answer
    },
  }),

  'GET /data/reconcile/suggest/entity/': listRoute({
    permission: 'search.read',
    says: ['result.*.notable.*.name'],
    query: Prefix,
    handle: async ({ query: { prefix, cursor }, scope }) => {
      if (!prefix) return { result: [] }
      const from = placeIn(cursor)
      const resources = matchedKinds.map(resourceOf)
      const visible = { ...scope, everything: false }
      const model = await searchModel()
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
    says: ['result.*.name'],
    query: Prefix,
    handle: async ({ query }) => ({ result: beginning(propertiesOf(), query) }),
  }),

  'GET /data/reconcile/suggest/type/': publicRoute({
    permission: 'registry.read',
    says: ['result.*.name'],
    query: Prefix,
    handle: async ({ query }) => ({ result: beginning(types, query) }),
  }),

  'GET /data/reconcile/properties/': publicRoute({
    permission: 'registry.read',
    says: ['properties.*.name'],
    query: ProposeQuery,
    handle: async ({ query: { type, limit } }) => {
      const kind = matchedKinds.find((it) => it === type)
      const proposed = type === '' || kind ? propertiesOf(kind).slice(0, limit) : []
      return { ...(type && { type }), limit, properties: proposed }
    },
  }),

  'GET /data/resolve/': listRoute({
    permission: 'record.list',
    query: Resolved,
    handle: async ({ query: { same_as }, actor, request }) => resolved(same_as, actor, request.origin),
  }),

  'GET /data/resolve/shared/': actorRoute({
    permission: 'links.report',
    query: v.object({ cursor: v.optional(v.string(), '') }),
    handle: async ({ query: { cursor }, actor, request }) => {
      const { results, next } = await claimedTwice(linkIn(cursor), actor, request.origin)
      const sealed = next && seal(next, REPORT)
      return { results, next: sealed ? `${request.origin}/data/resolve/shared/?cursor=${sealed}` : null }
    },
  }),

  'GET /data/reconcile/preview/{entity_id}/': readRoute({
    permission: 'record.read',
    says: [],
    params: v.object(ByEntity.entries),
    subject: async ({ entity_id }) => {
      const found = await loadById(entity_id)
      return found?.public ? found : undefined
    },
    handle: async ({ subject, actor, request }) =>
      content(previewOf(await shownOne(actor, subject), request.origin, request), 'text/html; charset=utf-8', {
        // It is shown in frames of others, and runs nothing.
        'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
      }),
  }),
} satisfies Routes

/** The link after which a report goes on; fails with `invalid` for what this service has not given. */
function linkIn(cursor: string): string | undefined {
  const link = cursor === '' ? undefined : unseal(cursor, REPORT)
  if (cursor !== '' && link === undefined) throw invalid({ cursor: ['This cursor was not given by this service.'] })
  return link
}

export const handler = endpoint(routes)

/** Those with a word that begins so, in any script or spelling. */
function beginning(all: readonly Type[], { prefix = '', cursor }: v.InferOutput<typeof Prefix>): Type[] {
  const wanted = fold(prefix)
  const from = placeIn(cursor)
  const begins = ({ id, name }: Type) =>
    [id.replaceAll('_', ' '), name].some((text) => ` ${fold(text)}`.includes(` ${wanted}`))
  return all.filter(begins).slice(from, from + MOST_SUGGESTED)
}

/** How many a client has been told of already. */
const placeIn = (cursor: string) => (/^\d{1,3}$/.test(cursor) ? Number(cursor) : 0)
