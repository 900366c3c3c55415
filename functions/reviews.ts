import { replyCreated } from '../lib/platform/http/reply.ts'
import '../lib/domain/composition.ts'
import * as v from 'valibot'
import { clock } from '../lib/base/clock.ts'
import { type Contribution, type Kind, kindKeys, schemaOf } from '../lib/domain/kinds/index.ts'
import { confidences } from '../lib/domain/kinds/schema/enums.ts'
import { type History, loadHistory, loadReferences } from '../lib/domain/records/history.ts'
import { kindOfRecord } from '../lib/domain/records/review-state.ts'
import { handlings, verdicts, verificationMethods } from '../lib/domain/records/rules/verdicts.ts'
import { showRecord, showRecordBeside } from '../lib/domain/records/shown.ts'
import { decisionView, ReviewDecisionView } from '../lib/domain/records/views/entity.ts'
import { ReviewerQuery } from '../lib/domain/review/queries.ts'
import * as queue from '../lib/domain/review/queue.ts'
import { listDecisions, loadReviewerFigures } from '../lib/domain/review/reviewers.ts'
import type { ForkContext } from '../lib/domain/review/views/fork-shape.ts'
import {
  DecisionRowView,
  dashboardView,
  decisionRow,
  ReviewerDashboardView,
} from '../lib/domain/review/views/reviewer.ts'
import { WorkspaceView } from '../lib/domain/review/views/workspace-shape.ts'
import type { SourceMark } from '../lib/domain/sources/marks.ts'
import { DisagreementView, disagreementSums } from '../lib/doors/exports/disagreement-shape.ts'
import { withTables } from '../lib/doors/exports/list-tables.ts'
import { creation, listOf, ok } from '../lib/platform/http/answer.ts'

import { choice, members, optionalChoice, prose } from '../lib/platform/http/body.ts'
import { endpoint } from '../lib/platform/http/endpoint.ts'
import { listBody, sliceOf } from '../lib/platform/http/page.ts'
import { ByEntity, queryWord } from '../lib/platform/http/params.ts'
import { actorRoute, changeRoute, publicRoute, type Routes, readRoute } from '../lib/platform/http/route.ts'
import type { Actor } from '../lib/platform/permissions.ts'
import { peopleIn } from '../lib/platform/users/people.ts'
import { keyOf } from '../lib/platform/users/users.ts'
import { alerts } from './reviews/alerts.ts'
import { mergeRequests } from './reviews/merge-requests.ts'

/** Loaded with the first verdict, since reads do not need this code. */
const verdictCode = () => import('../lib/domain/review/decide.ts')

/** The workspace of reviewers, their verdicts, and their figures. */
export const routes = withTables({
  'GET /data/review-workspace/{entity_id}/': readRoute({
    permission: 'review.read',
    summary: 'Read everything that a reviewer needs to decide on a record',
    answer: ok(WorkspaceView),
    params: ByEntity,
    subject: ({ entity_id }) => loadHistory(entity_id),
    translatedPaths: [
      'refusal',
      'difference.*.label',
      'properties.*.label',
      'properties.*.why',
      'conflicts.*.label',
      'conflicts.*.why',
      'falls.*.label',
      'doubts.*.evidence.*.about',
    ],
    handle: async ({ subject, actor, request: { say } }) => {
      // Loaded here, since verdicts and lists do not need this code.
      const [{ estimateClaims }, { loadKnownSources }, { workspaceView }] = await Promise.all([
        import('../lib/domain/doubt/estimate.ts'),
        import('../lib/domain/review/known-sources.ts'),
        import('../lib/domain/review/views/workspace.ts'),
      ])
      const [it, references, fork, doubts, { marks, evidenceOf }] = await Promise.all([
        showRecord(actor, subject),
        loadReferences(subject),
        forkContext(subject, actor),
        estimateClaims(subject, actor),
        loadKnownSources(subject),
      ])
      const falls = await fallsOf(subject, marks)
      const view = workspaceView(it, actor, references, { at: clock.now().getTime(), say, fork, evidenceOf })
      return { ...view, falls, ...(doubts && { doubts }) }
    },
  }),

  'POST /data/review-workspace/{entity_id}/decide/': changeRoute({
    permission: 'review.decide',
    summary: 'Give a verdict',
    description:
      "`reject` and `request_changes` need `feedback`; `accept_with_edits` takes values of the record's kind in `edits`. An open contradiction has to be settled by `conflict_handling`. A decision on a contribution of one's own, one that an escalation has kept for a higher rank, and settling a contradiction or overriding confidence without being a domain expert are 403, which says what role it takes.",
    answer: creation(ReviewDecisionView),
    params: ByEntity,
    subject: async ({ entity_id }) => (await verdictCode()).loadDecidable(entity_id),
    body: ({ entity_id }) => verdictOn(entity_id),
    idempotent: '24h',
    handle: async ({ unit, subject, actor, body }) => {
      const made = await (await verdictCode()).decide(unit, subject, actor, body)
      const people = [actor.id, ...subject.revisions.map((it) => it.created_by)]
      const { it, found } = await showRecordBeside(actor, subject, people.map(keyOf))
      return replyCreated(decisionView(made, it.revisions, it, peopleIn(found)))
    },
  }),

  'GET /data/reviewer-dashboard/': actorRoute({
    permission: 'review.dashboard',
    summary: 'Read what waits and what the caller has done',
    answer: ok(ReviewerDashboardView),
    handle: async ({ actor }) => {
      const [work, queues] = await Promise.all([loadReviewerFigures(actor), queue.countQueues()])
      return dashboardView(work, queues, actor)
    },
  }),

  'GET /data/review-decisions-profile/': publicRoute({
    permission: 'decision.list',
    summary: 'List the decisions of a reviewer',
    answer: listOf(DecisionRowView),
    query: ReviewerQuery,
    handle: async ({ query, actor, page, request }) => {
      const listed = await listDecisions(query.reviewer, actor, page)
      return listBody(request, page, { ...listed, results: listed.results.map(decisionRow) })
    },
  }),

  'GET /data/reviewer-dashboard/disagreements/': publicRoute({
    permission: 'export.read',
    summary: 'Read where sources disagree',
    description:
      "By kind and property: values that stand, those with a rival, between which sorts of sources, and how far reviewers agree. `alpha` is Krippendorff's for nominal judgments, of claims that two or more reviewers decided on. `years` and `places` (a tenth of a degree) are over all kinds of rows. Counted once a day over what everyone may read.",
    answer: listOf(DisagreementView, disagreementSums()),
    query: v.object({ kind: queryWord(kindKeys) }),
    handle: async ({ query: { kind }, page, request }) => {
      const { loadDisagreements } = await import('../lib/doors/exports/listing.ts')
      const { made_at = null, properties = [], years = [], places = [] } = (await loadDisagreements()) ?? {}
      const rows = properties.filter((it) => kind === undefined || it.kind === kind)
      const sums = { made_at, years: years.filter((it) => kind === undefined || it.kind === kind), places }
      return { ...listBody(request, page, { count: rows.length, results: sliceOf(rows, page) }), ...sums }
    },
  }),

  ...mergeRequests,
  ...alerts,
} satisfies Routes)

export const handler = endpoint(routes)

/** What the workspace shows of a fork. The code of forks is loaded with the first fork. */
async function forkContext(record: History, actor: Actor | null): Promise<ForkContext | null> {
  if (record.fork === null) return null
  const { forkContextOf } = await import('../lib/domain/forks/infos.ts')
  return forkContextOf(record, actor)
}

/** The values that fall with sources in question. This code is loaded with the first such source. */
async function fallsOf(record: History, marks: readonly SourceMark[]) {
  if (marks.length === 0) return []
  return (await import('../lib/domain/foundations/falls.ts')).loadFalls(record, marks)
}

/** The body of a verdict. Its `edits` are values of the record's kind. */
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
      edits: editsOf(kindOfRecord(entity_id)),
    }),
    v.transform(({ comments, ...verdict }) => ({ ...verdict, feedback: verdict.feedback || comments })),
  )
}

const userId = v.pipe(v.string(), v.toLowerCase(), v.uuid('Give the id of a user.'))

/** Values of a kind inside another body. An invalid value is reported under `edits`, with its name. */
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
