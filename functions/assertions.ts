import { replyCreated } from '../lib/platform/http/reply.ts'
import '../lib/domain/composition.ts'
import * as v from 'valibot'
import { notAcceptable, notFound } from '../lib/base/errors.ts'
import * as s from '../lib/base/shapes.ts'
import { kinds, predicates, schemaOf } from '../lib/domain/kinds/index.ts'
import * as assertions from '../lib/domain/records/assertions.ts'
import { claimStatuses } from '../lib/domain/records/items.ts'
import { AssertionQuery } from '../lib/domain/records/queries.ts'
import { showClaims } from '../lib/domain/records/shown.ts'
import { AssertionView, claimView, NewAssertionView } from '../lib/domain/records/views/record.ts'
import { withTables } from '../lib/doors/exports/list-tables.ts'
import { linkedList } from '../lib/doors/linked/list.ts'
import { linkedClaim, linkedClaimRow } from '../lib/doors/linked/provenance.ts'
import { LinkedClaimsView, LinkedClaimView } from '../lib/doors/linked/shapes.ts'
import { ABOUT_LINKED, creation, listOf, ok, withTypes } from '../lib/platform/http/answer.ts'

import { choice, members } from '../lib/platform/http/body.ts'
import { endpoint } from '../lib/platform/http/endpoint.ts'
import { JSON_LD, rdfTypes, TRIG } from '../lib/platform/http/media.ts'
import { listAddress, listBody, sliceOf } from '../lib/platform/http/page.ts'
import { ById } from '../lib/platform/http/params.ts'
import {
  actorRoute,
  changeRoute,
  type ListCall,
  listRoute,
  publicRoute,
  type Routes,
  readRoute,
} from '../lib/platform/http/route.ts'
import type { Actor } from '../lib/platform/permissions.ts'

const subject = ({ id }: { id: string }) => assertions.loadClaim(id)
const StatusBody = members({ reconciliation_status: choice(claimStatuses) })

/** Loads one page of claims. Each media type of the list shows it. */
async function listClaimPage({ query, actor, page, request }: ListCall<typeof AssertionQuery>) {
  return listBody(request, page, await assertions.listClaims(query, actor, page))
}

const PredicateView = s.shape('Predicate', () =>
  v.object({ id: s.text, code: s.text, label: s.text, inverse_label: s.text }),
)

/** Claims about records, each with its source. */
export const routes = withTables({
  'GET /cidoc/assertions/': listRoute({
    permission: 'assertion.list',
    summary: 'List the claims (the provenance of values), of a record or of all',
    description: ABOUT_LINKED,
    answer: withTypes(listOf(AssertionView), { [JSON_LD]: LinkedClaimsView }),
    query: AssertionQuery,
    handle: async (call) => {
      const { results, ...page } = await listClaimPage(call)
      return { ...page, results: results.map((it) => claimView(it, call.actor)) }
    },
    representations: {
      [JSON_LD]: async (call) => {
        const { actor, request } = call
        const id = `${request.origin}/cidoc/assertions/${listAddress(request).search}`
        const { labelPlural: label } = kinds.assertion
        return linkedList(await listClaimPage(call), { id, label }, (it) => linkedClaimRow(it, actor, request.origin))
      },
    },
  }),

  'POST /cidoc/assertions/': actorRoute({
    permission: 'assertion.create',
    summary: 'Claim something about a record',
    description:
      'It waits for review and meets the conflict check. A relationship has the property `relationship.CODE` and the other record in `object_entity_type` and `object_entity_id`.',
    answer: creation(NewAssertionView),
    body: schemaOf(kinds.assertion, 'create'),
    idempotent: '24h',
    handle: async ({ unit, actor, body }) => {
      const claim = await assertions.createClaim(unit, actor, body)
      // Forms would read an `entity_id` in the answer as the id of the new claim.
      const { entity_id: _, ...answer } = claimView(await showClaim(claim, actor), actor)
      return replyCreated(answer)
    },
  }),

  'GET /cidoc/assertions/{id}/': readRoute({
    permission: 'assertion.read',
    summary: 'Read a claim: a value with its provenance',
    description: `${ABOUT_LINKED} An accepted claim is a nanopublication with \`Accept: application/trig\`.`,
    answer: { 200: { ...withTypes(ok(AssertionView), { [JSON_LD]: LinkedClaimView })[200], types: [TRIG] as const } },
    params: ById,
    subject,
    handle: async ({ subject, actor }) => claimView(await showClaim(subject, actor), actor),
    representations: {
      [JSON_LD]: async ({ subject, actor, request }) =>
        linkedClaim(await showClaim(subject, actor), actor, request.origin),
      [TRIG]: async ({ subject, actor, request }) => {
        const claim = await showClaim(subject, actor)
        // A nanopublication names who published the claim, so only an accepted claim has one.
        if (claim.claim.reconciliation_status !== 'accepted')
          throw notAcceptable(['application/json', JSON_LD, ...rdfTypes])
        const { writeNanopublication } = await import('../lib/doors/linked/nanopublication.ts')
        return writeNanopublication(claim, actor, request.origin)
      },
    },
  }),

  'PATCH /cidoc/assertions/{id}/': changeRoute({
    permission: 'assertion.change',
    summary: 'Settle a claim',
    description:
      'It takes at least a domain expert if an open contradiction names the claim, if it waits with its contribution, or if it was made apart, is settled and its property has a value that stands. One that waits with its contribution can only be superseded.',
    answer: ok(AssertionView),
    params: ById,
    subject: ({ id }) => assertions.loadClaimToSettle(id),
    body: StatusBody,
    handle: async ({ unit, subject, actor, body }) => {
      const next = await assertions.setClaimStatus(unit, subject, body.reconciliation_status)
      return claimView(await showClaim(next, actor), actor)
    },
  }),

  'GET /cidoc/relationship-predicates/': publicRoute({
    permission: 'vocabulary.read',
    summary: 'List the relationships that there can be',
    answer: listOf(PredicateView),
    translatedPaths: ['results.*.label', 'results.*.inverse_label'],
    cache: { control: 'public, max-age=300' },
    handle: async ({ request, page }) =>
      listBody(request, page, { count: predicates.length, results: sliceOf(predicates, page) }),
  }),
} satisfies Routes)

export const handler = endpoint(routes)

/** Loads the view of a claim for this caller. Fails with `notFound` if the caller may see nothing of the claim. */
async function showClaim(claim: assertions.ClaimWithRecord, actor: Actor | null) {
  const [shownClaim] = await showClaims(actor, [claim])
  if (!shownClaim) throw notFound()
  return shownClaim
}
