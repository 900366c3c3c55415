import { endpoint } from '../lib/http/endpoint.ts'
import { listBody } from '../lib/http/page.ts'
import { Address, Collection, RecordQuery } from '../lib/http/params.ts'
import { created, noContent } from '../lib/http/reply.ts'
import { actorRoute, changeRoute, listRoute, type Routes, readRoute } from '../lib/http/route.ts'
import { schemaOf } from '../lib/kinds/index.ts'
import * as records from '../lib/store/records.ts'
import { detailOf, rowOf } from '../lib/views/record.ts'

const subject = ({ segment, id }: { segment: Parameters<typeof records.load>[0]; id: number }) =>
  records.load(segment, id)

/** Records of every kind with integer ids. */
export const routes = {
  'GET /cidoc/{segment}/': listRoute({
    permission: 'record.list',
    cache: 'no-store',
    params: Collection,
    query: RecordQuery,
    handle: async ({ params: { segment }, query, actor, scope, page, request }) => {
      const { search, identifier, ordering, ...wanted } = query
      const filter = { ...wanted, ...ordering, kind: segment.key }
      const listed = identifier
        ? await records.find(segment.key, { identifier }, filter, actor, page)
        : search
          ? await records.find(segment.key, { name: search }, filter, actor, page)
          : await records.list(filter, scope, page)
      return listBody(request, page, { ...listed, results: listed.results.map((it) => rowOf(it, actor)) })
    },
  }),

  'POST /cidoc/{segment}/': actorRoute({
    permission: 'record.create',
    cache: 'no-store',
    params: Collection,
    body: ({ segment }) => schemaOf(segment, 'create'),
    handle: async ({ params, actor, body }) =>
      created(detailOf(await records.create(params.segment, actor, body), actor)),
  }),

  'GET /cidoc/{segment}/{id}/': readRoute({
    permission: 'record.read',
    cache: 'no-store',
    params: Address,
    subject,
    handle: async ({ subject, actor }) => detailOf(subject, actor),
  }),

  'PUT /cidoc/{segment}/{id}/': changeRoute({
    permission: 'record.update',
    cache: 'no-store',
    params: Address,
    subject,
    body: ({ segment }) => schemaOf(segment, 'create'),
    handle: async ({ subject, actor, body }) =>
      detailOf(await records.amend(subject, actor, body, { replace: true }), actor),
  }),

  'PATCH /cidoc/{segment}/{id}/': changeRoute({
    permission: 'record.update',
    cache: 'no-store',
    params: Address,
    subject,
    body: ({ segment }) => schemaOf(segment, 'change'),
    handle: async ({ subject, actor, body }) => detailOf(await records.amend(subject, actor, body), actor),
  }),

  'DELETE /cidoc/{segment}/{id}/': changeRoute({
    permission: 'record.delete',
    cache: 'no-store',
    params: Address,
    subject,
    handle: async ({ subject }) => {
      await records.remove(subject)
      return noContent()
    },
  }),

  'POST /cidoc/{segment}/{id}/restore/': changeRoute({
    permission: 'record.restore',
    cache: 'no-store',
    params: Address,
    subject,
    handle: async ({ subject, actor }) => detailOf(await records.restore(subject), actor),
  }),
} satisfies Routes

export const handler = endpoint(routes)
