import '../search-words/name-words.ts'
import { newChildId, now } from '../../base/clock.ts'
import { checkAllowed, conflict, invalid } from '../../base/errors.ts'
import { get, put, type UnitOfWork, type Write, withNextVersion } from '../../engines/table/index.ts'

import { indexWrites } from '../../platform/name-index/entries.ts'
import {
  type Actor,
  type Deciding,
  hasRank,
  mayDecide,
  type Rank,
  rankName,
  ranks,
} from '../../platform/permissions.ts'
import * as users from '../../platform/users/users.ts'
import { newActivity, newFlag, newRevision, storedNameEntryOf, withActivity } from '../records/build.ts'
import { checkWhole, type History, loadHistory } from '../records/history.ts'
import {
  type Activity,
  type Assertion,
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
import { reviewStateOf } from '../records/review-state.ts'
import type { Settlement } from '../records/rules/canonical.ts'
import { findMove } from '../records/rules/status.ts'
import { ageAt, worstSource } from '../records/rules/triage.ts'
import { type Verdict, verdictEffects } from '../records/rules/verdicts.ts'
import { applySettlement, claimChanges, planAcceptance, planRefusal, type VerdictResult } from './accept.ts'
import {
  claimsApart,
  type DecisionInput,
  type Edits,
  isContested,
  revivedClaims,
  settledFlags,
  type TakenValues,
  underReview,
} from './verdict.ts'

/** A record with its history. `authors` are the people whose work a verdict would judge; empty if nothing waits. */
export type Decidable = History & { authors: readonly string[] }

/** Loads a record with its history by its review identity. Undefined if it does not exist. One call, or two for a fork that waits. */
export async function loadDecidable(entity_id: string): Promise<Decidable | undefined> {
  const record = await loadHistory(entity_id)
  if (!record) return undefined
  if (!isPending(record.status)) return { ...record, authors: [] }
  const original = record.fork ? await get(recordItem, { entity_id: record.fork.parent }) : undefined
  return { ...record, authors: [...authorsOf(record), ...(original ? [original.contributor_id] : [])] }
}

/**
 * Adds the writes of a verdict to the unit: status, values, revision, claims, flags, activities and the decision. It also ends
 * the reviewer's lease. If two reviewers decide at once, one commits and the other gets `conflict`. Fails with `conflict` if
 * nothing waits, or while another reviewer holds the lease.
 */
export async function decide(unit: UnitOfWork, old: History, reviewer: Actor, input: DecisionInput): Promise<Decision> {
  unit.retryOn('being_made')
  const planned = await planDecision(old, reviewer, input)
  unit.add([...planned.writes, endLease(old.entity_id, reviewer)])
  return planned.decision
}

/** A planned verdict: the decision, the record after it, its activities, and all writes. */
export type PlannedDecision = { decision: Decision; record: RecordItem; activities: Activity[]; writes: Write[] }

/** Plans what `decide` writes, for a caller that commits it with other writes. Fails if the rules forbid the verdict. */
export async function planDecision(old: History, reviewer: Actor, input: DecisionInput): Promise<PlannedDecision> {
  if (!isPending(old.status)) throw nothingWaits()
  checkAllowed(mayDecide(reviewer, decidingOn(old, input)))
  checkInput(old, input)
  return planVerdict(old, reviewer, input, settledFlags(old, input))
}

/**
 * Plans edits of a published record that has no pending edit: a reviewer's own, or what is taken over from a fork. It settles
 * no contradiction. A reviewer's own edits judge nobody's work, so any reviewer may make them. Fails with `conflict` if the record is
 * not published or has a pending edit.
 */
export async function planEdits(
  old: History,
  reviewer: Actor,
  input: DecisionInput & ({ edits: Edits } | { taken: TakenValues }),
): Promise<PlannedDecision> {
  if (!old.public || isPending(old.status)) throw conflict()
  return planVerdict(old, reviewer, input, [])
}

/** A decision that names its outcomes itself, with a note that readers see. Example: what stands since a source was withdrawn. */
export type Ruling = Settlement & { note: string }

/**
 * Plans a decision on claims of a published record, without edits and without a contradiction. Fails with `conflict` if the record is
 * not published or has a pending edit.
 */
export async function planRuling(old: History, reviewer: Actor, ruling: Ruling): Promise<PlannedDecision> {
  if (!old.public || isPending(old.status)) throw conflict()
  const input: DecisionInput = { ...plainInput, reconciliation_note: ruling.note }
  return planVerdict(old, reviewer, input, [], ruling)
}

/** The input of a decision that has no texts and settles no contradiction. */
export const plainInput = {
  verdict: 'accept_with_edits',
  conflict_handling: 'not_applicable',
  confidence_override: null,
  verification_method: null,
  feedback: '',
  reconciliation_note: '',
  internal_note: '',
} as const satisfies DecisionInput

async function planVerdict(
  old: History,
  reviewer: Actor,
  input: DecisionInput,
  settled: readonly Flag[],
  ruling?: Ruling,
): Promise<PlannedDecision> {
  checkWhole(old)
  const effect = verdictEffects[input.verdict]
  const move = findMove(reviewStateOf(old), effect.trigger)
  if (!move) throw nothingWaits()

  const at = now()
  const required_persona = personaAfter(old, input.verdict)
  const escalated_to = input.verdict === 'escalate' ? await checkReviewer(input.escalated_to, required_persona) : null
  const result = ruling ? applySettlement(old, ruling, at) : await planResult(old, reviewer, input, settled, at)
  const activities = activitiesOf(old, reviewer, input, settled.length > 0, at)
  const stored = recordItemOf(old)
  const rivalFlags = input.taken?.flags ?? []
  const next = activities.reduce(
    (record, activity) => withActivity(record, activity, reviewer),
    withNextVersion<RecordItem>(stored, {
      ...result.record,
      // Claims of a fork that contradict standing values wait for a decision of their own.
      ...(rivalFlags.length > 0 && returnToQueue(old, input.taken?.rivals ?? [], at)),
      status: rivalFlags.length > 0 ? 'pending_review' : move.status,
      public: move.public,
      required_persona,
      decided: true,
      machine: input.verdict === 'escalate' ? old.machine : null,
      machine_of: input.verdict === 'escalate' ? old.machine_of : null,
      ...addToClaimCount(old, result.newClaims.length),
      open_flags: old.open_flags - settled.length + rivalFlags.length,
      open_contradictions: old.open_contradictions - settled.length + rivalFlags.length,
      updated_at: at,
    }),
  )
  const newDecision = decisionOf(next, reviewer, input, { result, escalated_to, reviewed: old.current_revision, at })
  const hasNewRevision = next.current_revision !== old.current_revision
  const resolved = { is_resolved: true, resolved_by: reviewer.id, resolved_at: at }
  const writes = [
    put(recordItem, next, stored),
    put(decision, withDecisionAudience(newDecision, next), undefined),
    ...activities.map((it) => put(activity, withActivityAudience(it, next), undefined)),
    ...(hasNewRevision ? [put(revision, newRevision(next, next.data, reviewer, at), undefined)] : []),
    ...claimChanges(old, next, result, input),
    ...settled.map((it) => put(flag, withNextVersion<Flag>(it, resolved), it)),
    ...rivalFlags.map((it) => put(flag, newFlag(old, it, at), undefined)),
    ...indexWrites(storedNameEntryOf(stored), storedNameEntryOf(next)),
    ...queueWrites(stored, next),
    ...result.stubs,
  ]
  return { decision: newDecision, record: next, activities, writes }
}

/** The members by which a record returns to the queue, because rival claims of a fork wait. */
const returnToQueue = (old: History, rivals: readonly Assertion[], at: string): Partial<RecordItem> => ({
  contradicted: true,
  queue_age: ageAt(old.created_at, Date.parse(at)),
  ...worstSource(rivals.map(({ source_type }) => source_type)),
})

const planResult = async (
  old: History,
  reviewer: Actor,
  input: DecisionInput,
  settled: readonly Flag[],
  at: string,
): Promise<VerdictResult> =>
  verdictEffects[input.verdict].accepts ? planAcceptance(old, reviewer, input, settled, at) : planRefusal(old, input)

/** The activities of a verdict: one for itself, and one if it settles contradictions. */
function activitiesOf(old: History, reviewer: Actor, input: DecisionInput, settles: boolean, at: string): Activity[] {
  const effect = verdictEffects[input.verdict]
  const verdict = newActivity(old.entity_id, reviewer, effect.activity, input.feedback, at)
  if (!settles || !effect.accepts || input.conflict_handling === 'not_applicable') return [verdict]
  return [verdict, newActivity(old.entity_id, reviewer, 'conflict_resolved', input.reconciliation_note, at)]
}

const decisionOf = (
  next: RecordItem,
  reviewer: Actor,
  { edits: _, taken, ...words }: DecisionInput,
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
  batch_list: words.batch_list ?? null,
  fork: taken?.fork ?? null,
  version: 1,
})

const nothingWaits = () => conflict('Nothing waits for review here.')

/** The facts by which `mayDecide` rules. */
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

function checkInput(old: History, input: DecisionInput): void {
  if (input.verdict === 'escalate' && personaAfter(old, input.verdict) === old.required_persona)
    throw invalid({ verdict: [`It is with the ${rankName(old.required_persona)}s already, and nobody is above them.`] })
  if (verdictEffects[input.verdict].reason && !input.feedback.trim())
    throw invalid({ feedback: ['Say why, so that the contributor can act on it.'] })
  if (verdictEffects[input.verdict].accepts && isContested(old) && input.conflict_handling === 'not_applicable')
    throw invalid({ conflict_handling: ['There is an open contradiction: say how it is settled.'] })
}

/**
 * The people whose work a verdict judges: the contributor, the author of the current revision, and the authors of claims that may come to
 * stand. These are the claims under review, and superseded claims whose value waits. A claim made apart counts if a contradiction names it
 * or a machine made it, even while a revision waits.
 */
const authorsOf = (old: History): string[] => [
  old.contributor_id,
  ...old.revisions.filter((it) => it.revision_number === old.current_revision).map((it) => it.created_by),
  ...[...underReview(old), ...claimsApart(old), ...revivedClaims(old)].map((it) => it.contributor_id),
]

/**
 * The least rank that may decide after this verdict. `escalate` raises it by one, `request_changes` keeps it, other
 * verdicts reset it.
 */
export function personaAfter({ required_persona }: RecordItem, verdict: Verdict): Rank {
  if (verdict === 'escalate') return ranks[ranks.indexOf(required_persona) + 1] ?? required_persona
  return verdict === 'request_changes' ? required_persona : 'community_reviewer'
}

/** Checks that the user who is asked to decide is active, and is staff or has at least this rank. Null if nobody is asked. */
async function checkReviewer(id: string | null | undefined, least: Rank): Promise<string | null> {
  if (!id) return null
  const user = await users.loadUser(id)
  const rank = user?.reviewer_role?.is_active ? user.reviewer_role.role : null
  if (!user?.is_active || !hasRank({ is_staff: user.is_staff, rank }, least))
    throw invalid({ escalated_to: [`There is no active ${rankName(least)} with this id.`] })
  return id
}
