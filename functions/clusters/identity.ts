import '../../lib/domain/composition.ts'
import * as v from 'valibot'
import { impossible, notFound } from '../../lib/base/errors.ts'
import { recordId } from '../../lib/base/ids/address.ts'
import { listCandidates, loadCandidate, resolutions, resolveCandidate } from '../../lib/domain/identity/candidates.ts'
import { candidateStatuses } from '../../lib/domain/identity/items.ts'
import { loadIdentity } from '../../lib/domain/identity/summary.ts'
import {
  candidateView,
  IdentityCandidateView,
  IdentitySummaryView,
  ResolvedCandidateView,
  summaryView,
} from '../../lib/domain/identity/view.ts'
import { kindOfScope, unknownKindMessage } from '../../lib/domain/kinds/index.ts'
import { listOf, ok } from '../../lib/platform/http/answer.ts'
import { choice, members, prose, uuidOf } from '../../lib/platform/http/body.ts'
import { listBody } from '../../lib/platform/http/page.ts'
import { ById, QueryText, queryWord } from '../../lib/platform/http/params.ts'
import { actorRoute, changeRoute, publicRoute, type Routes, readRoute } from '../../lib/platform/http/route.ts'

const subject = ({ id }: { id: string }) => loadCandidate(id)

/** Which records are held to be one thing, and the identity candidates among them. */
export const identity = {
  'GET /cidoc/identity-summary/': publicRoute({
    permission: 'identity.read',
    summary: 'Read what a record is held to be',
    description:
      'Its cluster, with the members that the caller may see. `competing`: an open candidate says that it is the same as a record of another cluster.',
    answer: ok(IdentitySummaryView),
    errors: [404],
    query: v.object({
      entity_type: QueryText,
      entity_id: QueryText,
    }),
    handle: async ({ query: { entity_type = '', entity_id: text = '' }, actor }) => {
      if (entity_type === '' || !/^[1-9]\d{0,11}$/.test(text))
        throw impossible('Give entity_type, and entity_id as a whole number.')
      const kind = kindOfScope(entity_type)
      if (!kind?.record) throw notFound(unknownKindMessage(entity_type))
      const entity_id = Number(text)
      return summaryView({ entity_type, entity_id }, await loadIdentity(recordId(kind.code, entity_id), actor))
    },
  }),

  'GET /cidoc/identity-candidates/': actorRoute({
    permission: 'candidate.list',
    summary: 'List pairs of records that may be about the same thing',
    description: 'They come of flags `suspected_duplicate`, newest first. A pair is asked once.',
    answer: listOf(IdentityCandidateView),
    query: v.object({ status: queryWord(candidateStatuses) }),
    handle: async ({ query, actor, page, request }) => {
      const listed = await listCandidates(query, actor, page)
      return listBody(request, page, { ...listed, results: listed.results.map(candidateView) })
    },
  }),

  'GET /cidoc/identity-candidates/{id}/': readRoute({
    permission: 'candidate.read',
    summary: 'Read a candidate',
    answer: ok(IdentityCandidateView),
    params: ById,
    subject,
    handle: async ({ subject }) => candidateView(subject),
  }),

  'POST /cidoc/identity-candidates/{id}/resolve/': changeRoute({
    permission: 'candidate.resolve',
    summary: 'Say whether two records are about the same thing',
    description:
      '`accept` puts both into the cluster `target_cluster_id`. `reject` stands for good: the pair is not asked again. `defer` leaves it for later.',
    answer: ok(ResolvedCandidateView),
    errors: [409],
    params: ById,
    subject,
    idempotent: '24h',
    body: members({
      resolution: choice(resolutions),
      notes: prose(5000),
      target_cluster_id: v.pipe(
        v.nullish(v.union([v.literal(''), uuidOf()], 'Not a valid UUID.')),
        v.transform((id) => id || undefined),
      ),
    }),
    handle: async ({ unit, subject, actor, body }) => {
      const { candidate, created_assertion_ids } = await resolveCandidate(unit, subject, body, actor)
      return { candidate: candidateView(candidate), created_assertion_ids }
    },
  }),
} satisfies Routes
