import { choice, members } from '../lib/http/body.ts'
import { endpoint } from '../lib/http/endpoint.ts'
import { listBody, sliceOf } from '../lib/http/page.ts'
import { AssertionQuery, ById } from '../lib/http/params.ts'
import { created } from '../lib/http/reply.ts'
import { actorRoute, changeRoute, listRoute, publicRoute, type Routes, readRoute } from '../lib/http/route.ts'
import { kinds, predicates, schemaOf } from '../lib/kinds/index.ts'
import * as assertions from '../lib/store/assertions.ts'
import { claimView } from '../lib/views/record.ts'

const subject = ({ id }: { id: string }) => assertions.loadClaim(id)
const Standing = members({ reconciliation_status: choice(['pending', 'accepted', 'disputed', 'superseded']) })

/** Claims about records, each with its source. */
export const routes = {
  'GET /cidoc/assertions/': listRoute({
    permission: 'assertion.list',
    cache: 'no-store',
    query: AssertionQuery,
    handle: async ({ query, actor, page, request }) => {
      const listed = await assertions.list(query, actor, page)
      return listBody(request, page, { ...listed, results: listed.results.map((it) => claimView(it, actor)) })
    },
  }),

  'POST /cidoc/assertions/': actorRoute({
    permission: 'assertion.create',
    cache: 'no-store',
    body: schemaOf(kinds.assertion, 'create'),
    handle: async ({ actor, body }) => {
      // Forms take an `entity_id` in the answer for the id of what was made.
      const { entity_id: _, ...answer } = claimView(await assertions.create(actor, body), actor)
      return created(answer)
    },
  }),

  'GET /cidoc/assertions/{id}/': readRoute({
    permission: 'assertion.read',
    cache: 'no-store',
    params: ById,
    subject,
    handle: async ({ subject, actor }) => claimView(subject, actor),
  }),

  'PATCH /cidoc/assertions/{id}/': changeRoute({
    permission: 'assertion.change',
    cache: 'no-store',
    params: ById,
    subject,
    body: Standing,
    handle: async ({ subject, actor, body }) =>
      claimView(await assertions.settle(subject, actor, body.reconciliation_status), actor),
  }),

  'GET /cidoc/relationship-predicates/': publicRoute({
    permission: 'vocabulary.read',
    cache: { control: 'public, max-age=300' },
    handle: async ({ request, page }) =>
      listBody(request, page, { count: predicates.length, results: sliceOf(predicates, page) }),
  }),
} satisfies Routes

export const handler = endpoint(routes)
