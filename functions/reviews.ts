import '../lib/effects/search-documents.ts'
import * as v from 'valibot'
import { clock } from '../lib/clock.ts'
import { withTables } from '../lib/exports/list-tables.ts'
import { creating } from '../lib/http/answering.ts'
import { choice, members, optionalChoice, prose } from '../lib/http/body.ts'
import { endpoint } from '../lib/http/endpoint.ts'
import { listBody } from '../lib/http/page.ts'
import { ByEntity } from '../lib/http/params.ts'
import { actorRoute, changeRoute, publicRoute, type Routes, readRoute } from '../lib/http/route.ts'
import { type Contribution, type Kind, schemaOf } from '../lib/kinds/index.ts'
import { loadHistory, loadReferenced } from '../lib/records/history.ts'
import { confidences, handlings, verdicts, verificationMethods } from '../lib/records/rules/verdicts.ts'
import { shownBeside, shownOne } from '../lib/records/shown.ts'
import { decisionView } from '../lib/records/views/entity.ts'
import { kindOf } from '../lib/records/write.ts'
import { decide, loadDecidable } from '../lib/review/decide.ts'
import { ReviewerQuery } from '../lib/review/queries.ts'
import * as queue from '../lib/review/queue.ts'
import { decisionsOf, workOf } from '../lib/review/reviewers.ts'
import { dashboardView, decisionRow } from '../lib/review/views/reviewer.ts'
import { workspaceView } from '../lib/review/views/workspace.ts'
import { peopleIn } from '../lib/users/people.ts'
import { keyOf } from '../lib/users/users.ts'

/** What reviewers do with what waits for them, and what they have done. */
export const routes = withTables({
  'GET /data/review-workspace/{entity_id}/': readRoute({
    permission: 'review.read',
    params: ByEntity,
    subject: ({ entity_id }) => loadHistory(entity_id),
    says: [
      'refusal',
      'difference.*.label',
      'properties.*.label',
      'properties.*.why',
      'conflicts.*.label',
      'conflicts.*.why',
    ],
    handle: async ({ subject, actor, request: { say } }) =>
      workspaceView(await shownOne(actor, subject), actor, await loadReferenced(subject), {
        at: clock.now().getTime(),
        say,
      }),
  }),

  'POST /data/review-workspace/{entity_id}/decide/': changeRoute({
    permission: 'review.decide',
    params: ByEntity,
    subject: ({ entity_id }) => loadDecidable(entity_id),
    body: ({ entity_id }) => verdictOn(entity_id),
    idempotent: '24h',
    handle: ({ subject, actor, body }) =>
      creating(
        () => decide(subject, actor, body),
        async (made) => {
          const people = [actor.id, ...subject.revisions.map((it) => it.created_by)]
          const { it, found } = await shownBeside(actor, subject, people.map(keyOf))
          return decisionView(made, it.revisions, it, peopleIn(found))
        },
      ),
  }),

  'GET /data/reviewer-dashboard/': actorRoute({
    permission: 'review.dashboard',
    handle: async ({ actor }) => {
      const [work, queues] = await Promise.all([workOf(actor), queue.counts()])
      return dashboardView(work, queues, actor)
    },
  }),

  'GET /data/review-decisions-profile/': publicRoute({
    permission: 'decision.list',
    query: ReviewerQuery,
    handle: async ({ query, actor, page, request }) => {
      const listed = await decisionsOf(query.reviewer, actor, page)
      return listBody(request, page, { ...listed, results: listed.results.map(decisionRow) })
    },
  }),
} satisfies Routes)

export const handler = endpoint(routes)

/** A verdict on a record; its edits are values of the record's kind. */
function verdictOn(entity_id: string) {
  return v.pipe(
    members({
      verdict: choice(verdicts),
      conflict_handling: v.optional(choice(handlings), 'not_applicable'),
      confidence_override: optionalChoice(confidences),
      verification_method: optionalChoice(verificationMethods),
      feedback: prose(5000),
      comments: prose(5000),
      reconciliation_note: prose(5000),
      internal_note: prose(5000),
      escalated_to: v.nullish(v.union([v.literal(''), userId], 'Give the id of a user.'), null),
      edits: editsOf(kindOf(entity_id)),
    }),
    v.transform(({ comments, ...said }) => ({ ...said, feedback: said.feedback || comments })),
  )
}

const userId = v.pipe(v.string(), v.toLowerCase(), v.uuid('Give the id of a user.'))

/** Values of a kind inside another body: what is wrong with one is told under `edits`, with its name. */
function editsOf(kind: Kind) {
  return v.pipe(
    v.nullish(v.unknown(), null),
    v.rawTransform<unknown, Contribution | null>(({ dataset, addIssue, NEVER }) => {
      if (dataset.value === null) return null
      const result = v.safeParse(schemaOf(kind, 'change'), dataset.value)
      if (result.success) return result.output
      for (const { path, message } of result.issues)
        addIssue({ message: path ? `${path.map(({ key }) => key).join('.')}: ${message}` : message })
      return NEVER
    }),
  )
}
