import type { Contribution, Picture } from '../kinds/index.ts'
import type { History } from '../records/history.ts'
import { type Assertion, type Flag, isCarried } from '../records/items.ts'
import { effects, type Handling, type Verdict } from '../records/rules/verdicts.ts'

/** What a verdict says, and what of a record it is about. Pure. */

/** Values as a reviewer changes them. */
export type Edits = Contribution & { pictures?: readonly Picture[] }

/** What a reviewer decides on a record, and how. */
export type DecisionInput = {
  verdict: Verdict
  conflict_handling: Handling
  confidence_override: string | null
  verification_method: string | null
  feedback: string
  reconciliation_note: string
  internal_note: string
  /** With `accept_with_edits`: what the reviewer changes, and pictures whose files the service itself has put in place. */
  edits?: Edits | null
  /** With `escalate`: the user who is asked to decide. */
  escalated_to?: string | null
}

const openContradictions = (it: History) =>
  it.flags.filter((each) => each.flag_type === 'contradiction' && !each.is_resolved)

/** Whether accepting settles a contradiction. */
export const isContested = (old: History) => openContradictions(old).some((it) => !isMoot(old, it))

/** Its claim, the first that it names, has been withdrawn since. */
export const isMoot = (old: History, { assertion_ids: [id] }: Flag) =>
  old.assertions.some((it) => it.id === id && it.reconciliation_status === 'superseded')

/** Acceptance settles every contradiction, refusal those of the claims that it refuses; what is sent back or up settles none. */
export function settledFlags(old: History, { verdict }: DecisionInput): Flag[] {
  if (verdict === 'request_changes' || verdict === 'escalate') return []
  const refused = new Set(underReview(old).map((it) => it.id))
  return openContradictions(old).filter(
    (it) => effects[verdict].accepts || isMoot(old, it) || refused.has(it.assertion_ids[0] ?? ''),
  )
}

/**
 * The claims that a verdict is about: those that carry the values which wait; where no revision waits, those made apart
 * that contradict what stands, since they alone have brought the record into review.
 */
export function underReview(old: History): Assertion[] {
  const pending = old.assertions.filter((it) => it.reconciliation_status === 'pending')
  const carried = pending.filter(isCarried)
  const contested = new Set(openContradictions(old).flatMap((it) => it.assertion_ids))
  return carried.length > 0 ? carried : pending.filter((it) => contested.has(it.id))
}
