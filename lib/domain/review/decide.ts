import { newChildId, now } from '../../base/clock.ts'
import { checkAllowed, conflict, invalid } from '../../base/errors.ts'
import { put, type UnitOfWork, type Write, withNextVersion } from '../../engines/table/index.ts'

import { indexWrites } from '../../platform/name-index/entries.ts'
import { type Actor, type Deciding, hasRank, inWords, mayDecide, type Rank, ranks } from '../../platform/permissions.ts'
import * as users from '../../platform/users/users.ts'
import { newActivity, newRevision, storedNameEntryOf, withActivity } from '../records/build.ts'
import { checkWhole, type History, loadHistory } from '../records/history.ts'
import {
  type Activity,
  activity,
  addToClaimCount,
  type Decision,
  decision,
  type Flag,
  flag,
  type RecordItem,
  recordItem,
  recordItemOf,
  revision,
  withActivityAudience,
  withDecisionAudience,
} from '../records/items.ts'
import { endLease } from '../records/leases.ts'
import { isPending, queueWrites } from '../records/queue-entry.ts'
import { findMove } from '../records/rules/status.ts'
import { type Verdict, verdictEffects } from '../records/rules/verdicts.ts'
import { reviewStateOf } from '../records/write.ts'
import { changedClaims, planAcceptance, planRefusal, type VerdictResult } from './accept.ts'
import { type DecisionInput, type Edits, isContested, settledFlags, underReview } from './verdict.ts'

/** A record with its history, as the rules of a decision see it. `authors` is empty if nothing waits. */
export type Decidable = History & { authors: readonly string[] }

/** Loads a record with its history by its review identity. Undefined if there is none. One call. */
export async function loadDecidable(entity_id: string): Promise<Decidable | undefined> {
  const it = await loadHistory(entity_id)
  return it && { ...it, authors: isPending(it.status) ? authorsOf(it) : [] }
}

/**
 * Adds the writes of a verdict to the unit: status, values, revision, claims, flags, activities and the decision. Of two
 * reviewers at once one commits, the other gets `conflict`. So does a verdict when nothing waits.
 */
export async function decide(unit: UnitOfWork, old: History, reviewer: Actor, input: DecisionInput): Promise<Decision> {
  unit.retryOn('being_made')
  const { made, writes } = await planDecision(old, reviewer, input)
  unit.add([...writes, endLease(old.entity_id, reviewer)])
  return made
}

/** A planned verdict: the decision, the record after it, its activities, and all writes. */
export type PlannedDecision = { made: Decision; record: RecordItem; done: Activity[]; writes: Write[] }

/** Plans what `decide` writes, for a caller that commits it together with more. Fails if the rules forbid the verdict. */
export async function planDecision(old: History, reviewer: Actor, input: DecisionInput): Promise<PlannedDecision> {
  if (!isPending(old.status)) throw nothingWaits()
  checkAllowed(mayDecide(reviewer, decidingOn(old, input)))
  check(old, input)
  return planVerdict(old, reviewer, input, settledFlags(old, input))
}

/**
 * Plans a reviewer's own edits of a published record behind which nothing waits. Nobody's work is decided on and no
 * contradiction is settled, so any reviewer may do it. Fails with `conflict` if the record is not published, or if an
 * edit waits.
 */
export async function planEdits(
  old: History,
  reviewer: Actor,
  input: DecisionInput & { edits: Edits },
): Promise<PlannedDecision> {
  if (!old.public || isPending(old.status)) throw conflict()
  return planVerdict(old, reviewer, input, [])
}

async function planVerdict(
  old: History,
  reviewer: Actor,
  input: DecisionInput,
  settled: readonly Flag[],
): Promise<PlannedDecision> {
  checkWhole(old)
  const effect = verdictEffects[input.verdict]
  const moved = findMove(reviewStateOf(old), effect.trigger)
  if (!moved) throw nothingWaits()

  const at = now()
  const required_persona = personaAfter(old, input.verdict)
  const escalated_to = input.verdict === 'escalate' ? await reviewerOf(input.escalated_to, required_persona) : null
  const result = effect.accepts ? await planAcceptance(old, reviewer, input, settled, at) : planRefusal(old, input)
  const done = activitiesOf(old, reviewer, input, settled.length > 0, at)
  const stored = recordItemOf(old)
  const next = done.reduce(
    (it, each) => withActivity(it, each, reviewer),
    withNextVersion<RecordItem>(stored, {
      ...result.record,
      status: moved.status,
      public: moved.public,
      required_persona,
      decided: true,
      ...addToClaimCount(old, result.made.length),
      open_flags: old.open_flags - settled.length,
      open_contradictions: old.open_contradictions - settled.length,
      updated_at: at,
    }),
  )
  const made = decisionOf(next, reviewer, input, { result, escalated_to, reviewed: old.current_revision, at })
  const isFurther = next.current_revision !== old.current_revision
  const resolved = { is_resolved: true, resolved_by: reviewer.id, resolved_at: at }
  const writes = [
    put(recordItem, next, stored),
    put(decision, withDecisionAudience(made, next), undefined),
    ...done.map((it) => put(activity, withActivityAudience(it, next), undefined)),
    ...(isFurther ? [put(revision, newRevision(next, next.data, reviewer, at), undefined)] : []),
    ...changedClaims(old, next, result, input),
    ...settled.map((it) => put(flag, withNextVersion<Flag>(it, resolved), it)),
    ...indexWrites(storedNameEntryOf(stored), storedNameEntryOf(next)),
    ...queueWrites(stored, next),
    ...result.stubs,
  ]
  return { made, record: next, done, writes }
}

/** The activities of a verdict: one for itself, and one if it settles contradictions. */
function activitiesOf(old: History, reviewer: Actor, input: DecisionInput, settles: boolean, at: string): Activity[] {
  const effect = verdictEffects[input.verdict]
  const done = newActivity(old.entity_id, reviewer, effect.activity, input.feedback, at)
  if (!settles || !effect.accepts || input.conflict_handling === 'not_applicable') return [done]
  return [done, newActivity(old.entity_id, reviewer, 'conflict_resolved', input.reconciliation_note, at)]
}

const decisionOf = (
  next: RecordItem,
  reviewer: Actor,
  { edits: _, ...words }: DecisionInput,
  {
    result,
    escalated_to,
    reviewed,
    at,
  }: { result: VerdictResult; escalated_to: string | null; reviewed: number; at: string },
): Decision => ({
  ...words,
  id: newChildId(next.entity_id),
  entity_id: next.entity_id,
  audience: 'withheld',
  reviewer_id: reviewer.id,
  revision_reviewed: reviewed,
  accepted_revision: verdictEffects[words.verdict].accepts ? next.accepted_revision : null,
  sequence: next.version,
  outcomes: result.outcomes.map((it) => ({ ...it, rivals: [...it.rivals] })),
  escalated_to,
  created_at: at,
  of_batch: words.of_batch ?? false,
  version: 1,
})

const nothingWaits = () => conflict('Nothing waits for review here.')

/** What `mayDecide` looks at. */
export const decidingOn = (
  old: History,
  { verdict, confidence_override }: Pick<DecisionInput, 'verdict' | 'confidence_override'>,
): Deciding => ({
  authors: authorsOf(old),
  required_persona: old.required_persona,
  escalates: verdict === 'escalate',
  overridesConfidence: Boolean(confidence_override),
  settlesContradiction: verdictEffects[verdict].accepts && isContested(old),
})

function check(old: History, input: DecisionInput): void {
  if (input.verdict === 'escalate' && personaAfter(old, input.verdict) === old.required_persona)
    throw invalid({ verdict: ['It is with the expert curators already, and nobody is above them.'] })
  if (verdictEffects[input.verdict].reason && !input.feedback.trim())
    throw invalid({ feedback: ['Say why, so that the contributor can act on it.'] })
  if (verdictEffects[input.verdict].accepts && isContested(old) && input.conflict_handling === 'not_applicable')
    throw invalid({ conflict_handling: ['There is an open contradiction: say how it is settled.'] })
}

/**
 * Whose work the verdict is about: the contributor, the author of the current revision, and the authors of claims under
 * review.
 */
const authorsOf = (old: History): string[] => [
  old.contributor_id,
  ...old.revisions.filter((it) => it.revision_number === old.current_revision).map((it) => it.created_by),
  ...underReview(old).map((it) => it.contributor_id),
]

/**
 * The least rank that may decide after this verdict. `escalate` raises it by one, `request_changes` keeps it, other
 * verdicts reset it.
 */
export function personaAfter({ required_persona }: RecordItem, verdict: Verdict): Rank {
  if (verdict === 'escalate') return ranks[ranks.indexOf(required_persona) + 1] ?? required_persona
  return verdict === 'request_changes' ? required_persona : 'community_reviewer'
}

/** Checks that the user who is asked to decide is an active reviewer of at least this rank. */
async function reviewerOf(id: string | null | undefined, least: Rank): Promise<string | null> {
  if (!id) return null
  const it = await users.loadUser(id)
  const rank = it?.reviewer_role?.is_active ? it.reviewer_role.role : null
  if (!it?.is_active || !hasRank({ is_staff: it.is_staff, rank }, least))
    throw invalid({ escalated_to: [`There is no active ${inWords(least)} with this id.`] })
  return id
}
