import '../lib/effects/search-documents.ts'
import { notFound } from '../lib/errors.ts'
import { withTables } from '../lib/exports/list-tables.ts'
import { answering, creating } from '../lib/http/answering.ts'
import { choice, members } from '../lib/http/body.ts'
import { endpoint } from '../lib/http/endpoint.ts'
import { LINKED } from '../lib/http/media.ts'
import { listAddress, listBody, sliceOf } from '../lib/http/page.ts'
import { ById } from '../lib/http/params.ts'
import {
  actorRoute,
  changeRoute,
  type ListCall,
  listRoute,
  publicRoute,
  type Routes,
  readRoute,
} from '../lib/http/route.ts'
import { kinds, predicates, schemaOf } from '../lib/kinds/index.ts'
import { linkedList } from '../lib/linked/list.ts'
import { linkedClaim, linkedClaimRow } from '../lib/linked/provenance.ts'
import type { Actor } from '../lib/permissions.ts'
import * as assertions from '../lib/records/assertions.ts'
import { AssertionQuery } from '../lib/records/queries.ts'
import { shownClaims } from '../lib/records/shown.ts'
import { claimView } from '../lib/records/views/record.ts'

const subject = ({ id }: { id: string }) => assertions.loadClaim(id)
const StatusBody = members({ reconciliation_status: choice(['pending', 'accepted', 'disputed', 'superseded']) })

/** The page of the list that is asked for, whatever it is then written as. */
async function listed({ query, actor, page, request }: ListCall<typeof AssertionQuery>) {
  const found = await assertions.list(query, actor, page)
  return listBody(request, page, { ...found, results: await shownClaims(actor, found.results) })
}

/** Claims about records, each with its source. */
export const routes = withTables({
  'GET /cidoc/assertions/': listRoute({
    permission: 'assertion.list',
    query: AssertionQuery,
    handle: async (asked) => {
      const { results, ...page } = await listed(asked)
      return { ...page, results: results.map((it) => claimView(it, asked.actor)) }
    },
    representations: {
      [LINKED]: async (asked) => {
        const { actor, request } = asked
        const id = `${request.origin}/cidoc/assertions/${listAddress(request).search}`
        const { labelPlural: label } = kinds.assertion
        return linkedList(await listed(asked), { id, label }, (it) => linkedClaimRow(it, actor, request.origin))
      },
    },
  }),

  'POST /cidoc/assertions/': actorRoute({
    permission: 'assertion.create',
    body: schemaOf(kinds.assertion, 'create'),
    idempotent: '24h',
    handle: ({ actor, body }) =>
      creating(
        () => assertions.create(actor, body),
        async (made) => {
          // Forms take an `entity_id` in the answer for the id of what was made.
          const { entity_id: _, ...answer } = claimView(await shown(made, actor), actor)
          return answer
        },
      ),
  }),

  'GET /cidoc/assertions/{id}/': readRoute({
    permission: 'assertion.read',
    params: ById,
    subject,
    handle: async ({ subject, actor }) => claimView(await shown(subject, actor), actor),
    representations: {
      [LINKED]: async ({ subject, actor, request }) => linkedClaim(await shown(subject, actor), actor, request.origin),
    },
  }),

  'PATCH /cidoc/assertions/{id}/': changeRoute({
    permission: 'assertion.change',
    params: ById,
    subject,
    body: StatusBody,
    handle: ({ subject, actor, body }) =>
      answering(
        () => assertions.settle(subject, body.reconciliation_status),
        async (next) => claimView(await shown(next, actor), actor),
      ),
  }),

  'GET /cidoc/relationship-predicates/': publicRoute({
    permission: 'vocabulary.read',
    says: ['results.*.label', 'results.*.inverse_label'],
    cache: { control: 'public, max-age=300' },
    handle: async ({ request, page }) =>
      listBody(request, page, { count: predicates.length, results: sliceOf(predicates, page) }),
  }),
} satisfies Routes)

export const handler = endpoint(routes)

/** A claim as the caller may be shown it. Fails with `notFound` when it says nothing but what is hidden. */
async function shown(it: assertions.Claim, actor: Actor | null) {
  const [claim] = await shownClaims(actor, [it])
  if (!claim) throw notFound()
  return claim
}
