import { newChildId, now } from '../clock.ts'
import { commitNaming } from '../commit.ts'
import { checkAllowed, conflict, invalid } from '../errors.ts'
import { indexWrites } from '../names/index.ts'
import { type Actor, type Deciding, hasRank, inWords, mayDecide, type Rank, ranks } from '../permissions.ts'
import { activityOf, indexedOf, revisionOf, withActivity } from '../records/build.ts'
import { checkWhole, type History, loadHistory } from '../records/history.ts'
import {
  type Activity,
  activity,
  countingClaims,
  type Decision,
  decision,
  type Flag,
  flag,
  type RecordItem,
  recordItem,
  recordItemOf,
  revision,
  toldOf,
  toldOfDecision,
} from '../records/items.ts'
import { endLease } from '../records/leases.ts'
import { isPending, queueWrites } from '../records/queue-entry.ts'
import { move } from '../records/rules/status.ts'
import { effects, type Verdict } from '../records/rules/verdicts.ts'
import { stateOf } from '../records/write.ts'
import { amended, put, type Write } from '../table/item.ts'
import * as users from '../users/users.ts'
import { accepted, changedClaims, type Result, withheld } from './accept.ts'
import { type DecisionInput, type Edits, isContested, settledFlags, underReview } from './verdict.ts'

/** A verdict from its rules to what it writes. */

/** A record with its history as the subject of rules. What does not wait is nobody's work to decide on. */
export type Decidable = History & { authors: readonly string[] }

/** What may be decided on, by its review identity, in one call; undefined when there is none. */
export async function loadDecidable(entity_id: string): Promise<Decidable | undefined> {
  const it = await loadHistory(entity_id)
  return it && { ...it, authors: isPending(it.status) ? authorsOf(it) : [] }
}

/**
 * Applies a verdict to what waits for review: status, values, revision, assertions, flags, activity and decision in one
 * transaction. Of two reviewers at once one wins; the other gets `conflict`, as does a verdict on what no longer waits.
 */
export const decide = (old: History, reviewer: Actor, input: DecisionInput): Promise<Decision> =>
  commitNaming(async () => {
    const { made, writes } = await planDecision(old, reviewer, input)
    return { result: made, writes: [...writes, endLease(old.entity_id, reviewer)] }
  })

/** A verdict, the record as it makes it, what happened, and everything that is to be written. */
export type PlannedDecision = { made: Decision; record: RecordItem; done: Activity[]; writes: Write[] }

/** What `decide` would write, for those who write it together with more. Fails as `decide` does. */
export async function planDecision(old: History, reviewer: Actor, input: DecisionInput): Promise<PlannedDecision> {
  if (!isPending(old.status)) throw nothingWaits()
  checkAllowed(mayDecide(reviewer, decidingOn(old, input)))
  check(old, input)
  return planVerdict(old, reviewer, input, settledFlags(old, input))
}

/**
 * What a reviewer's own edits of a published record would write, behind which nothing waits: nobody's work is decided on,
 * and no contradiction is settled, so that whoever reviews may do it. Fails where the record is not published.
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
  const effect = effects[input.verdict]
  const moved = move(stateOf(old), effect.trigger)
  if (!moved) throw nothingWaits()

  const at = now()
  const required_persona = personaAfter(old, input.verdict)
  const escalated_to = input.verdict === 'escalate' ? await reviewerOf(input.escalated_to, required_persona) : null
  const result = effect.accepts ? await accepted(old, reviewer, input, settled, at) : withheld(old, input)
  const done = activitiesOf(old, reviewer, input, settled.length > 0, at)
  const stored = recordItemOf(old)
  const next = done.reduce(
    (it, each) => withActivity(it, each, reviewer),
    amended<RecordItem>(stored, {
      ...result.record,
      status: moved.status,
      public: moved.public,
      required_persona,
      decided: true,
      ...countingClaims(old, result.made.length),
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
    put(decision, toldOfDecision(made, next), undefined),
    ...done.map((it) => put(activity, toldOf(it, next), undefined)),
    ...(isFurther ? [put(revision, revisionOf(next, next.data, reviewer, at), undefined)] : []),
    ...changedClaims(old, next, result, input),
    ...settled.map((it) => put(flag, amended<Flag>(it, resolved), it)),
    ...indexWrites(indexedOf(stored), indexedOf(next)),
    ...queueWrites(stored, next),
    ...result.stubs,
  ]
  return { made, record: next, done, writes }
}

/** What the history says of a verdict, and of the contradictions that it settles. */
function activitiesOf(old: History, reviewer: Actor, input: DecisionInput, settles: boolean, at: string): Activity[] {
  const effect = effects[input.verdict]
  const done = activityOf(old.entity_id, reviewer, effect.activity, input.feedback, at)
  if (!settles || !effect.accepts || input.conflict_handling === 'not_applicable') return [done]
  return [done, activityOf(old.entity_id, reviewer, 'conflict_resolved', input.reconciliation_note, at)]
}

/** The decision itself as an item of the history. */
const decisionOf = (
  next: RecordItem,
  reviewer: Actor,
  { edits: _, ...words }: DecisionInput,
  { result, escalated_to, reviewed, at }: { result: Result; escalated_to: string | null; reviewed: number; at: string },
): Decision => ({
  ...words,
  id: newChildId(next.entity_id),
  entity_id: next.entity_id,
  audience: 'withheld',
  reviewer_id: reviewer.id,
  revision_reviewed: reviewed,
  accepted_revision: effects[words.verdict].accepts ? next.accepted_revision : null,
  sequence: next.version,
  outcomes: result.outcomes.map((it) => ({ ...it, rivals: [...it.rivals] })),
  escalated_to,
  created_at: at,
  version: 1,
})

const nothingWaits = () => conflict('Nothing waits for review here.')

/** What rules look at in a decision. */
export const decidingOn = (
  old: History,
  { verdict, confidence_override }: Pick<DecisionInput, 'verdict' | 'confidence_override'>,
): Deciding => ({
  authors: authorsOf(old),
  required_persona: old.required_persona,
  escalates: verdict === 'escalate',
  overridesConfidence: Boolean(confidence_override),
  settlesContradiction: effects[verdict].accepts && isContested(old),
})

function check(old: History, input: DecisionInput): void {
  if (input.verdict === 'escalate' && personaAfter(old, input.verdict) === old.required_persona)
    throw invalid({ verdict: ['It is with the expert curators already, and nobody is above them.'] })
  if (effects[input.verdict].reason && !input.feedback.trim())
    throw invalid({ feedback: ['Say why, so that the contributor can act on it.'] })
  if (effects[input.verdict].accepts && isContested(old) && input.conflict_handling === 'not_applicable')
    throw invalid({ conflict_handling: ['There is an open contradiction: say how it is settled.'] })
}

/** Everyone whose work the verdict is about. */
const authorsOf = (old: History): string[] => [
  old.contributor_id,
  ...old.revisions.filter((it) => it.revision_number === old.current_revision).map((it) => it.created_by),
  ...underReview(old).map((it) => it.contributor_id),
]

/** An escalation raises by one step who has to decide; with the verdict that ends a review that is over. */
export function personaAfter({ required_persona }: RecordItem, verdict: Verdict): Rank {
  if (verdict === 'escalate') return ranks[ranks.indexOf(required_persona) + 1] ?? required_persona
  return verdict === 'request_changes' ? required_persona : 'community_reviewer'
}

/** The user who is asked to decide: one who may. */
async function reviewerOf(id: string | null | undefined, least: Rank): Promise<string | null> {
  if (!id) return null
  const it = await users.load(id)
  const rank = it?.reviewer_role?.is_active ? it.reviewer_role.role : null
  if (!it?.is_active || !hasRank({ is_staff: it.is_staff, rank }, least))
    throw invalid({ escalated_to: [`There is no active ${inWords(least)} with this id.`] })
  return id
}
