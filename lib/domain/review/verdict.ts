import { isDeepStrictEqual } from 'node:util'
import type { Contribution, Picture } from '../kinds/index.ts'
import type { Values } from '../names/values.ts'
import type { NewFlag } from '../records/build.ts'
import type { History } from '../records/history.ts'
import { type Assertion, type Flag, isOpenContradiction, isUnderReview } from '../records/items.ts'
import { type Handling, type Verdict, verdictEffects } from '../records/rules/verdicts.ts'

/** The values that a reviewer changes, in the form of a contribution. */
export type Edits = Contribution & { pictures?: readonly Picture[] }

/**
 * What a verdict takes over from a fork. `claims` bring the values of `data`, by their own authors. `rivals` contradict standing values:
 * they wait, and `flags` say so.
 */
export type TakenValues = {
  fork: string
  data: Values
  cleared: readonly string[]
  claims: readonly Assertion[]
  rivals: readonly Assertion[]
  flags: readonly NewFlag[]
}

export type DecisionInput = {
  verdict: Verdict
  conflict_handling: Handling
  confidence_override: string | null
  verification_method: string | null
  feedback: string
  reconciliation_note: string
  internal_note: string
  /** With `accept_with_edits`: the changed values, and pictures whose files the service itself has stored. */
  edits?: Edits | null
  /** With `accept_with_edits`: what is taken over from a fork, instead of edits. */
  taken?: TakenValues
  /** With `escalate`: the user who should decide. */
  escalated_to?: string | null
  /** Set by a verdict on a whole batch. Its contributor gets one notice for the batch, and none for each row. */
  of_batch?: boolean
  /** The list that counts the decisions of such a verdict. */
  batch_list?: string
}

const openContradictions = (record: History) => record.flags.filter(isOpenContradiction)

/** Whether a contradiction is open that is not moot. An acceptance must then say how it is settled. */
export const isContested = (old: History) => openContradictions(old).some((it) => !isMoot(old, it))

/** The claim of a contradiction if it is superseded. The first id that the flag names is the claim. */
const supersededClaim = (old: History, { assertion_ids: [id] }: Flag) =>
  old.assertions.find((it) => it.id === id && it.reconciliation_status === 'superseded')

/**
 * A contradiction is moot once its claim is superseded. It is not moot while the value of that claim waits: an acceptance would let the
 * value stand.
 */
export function isMoot(old: History, it: Flag): boolean {
  const claim = supersededClaim(old, it)
  return claim !== undefined && !isWaitingValue(old, claim)
}

/** Whether the claim belongs to a contribution, and its value waits: an acceptance would let it stand. */
function isWaitingValue(old: History, { revision_number, asserted_property: property, value }: Assertion): boolean {
  const waiting = old.proposed ?? (old.public ? undefined : old.data)
  return revision_number !== null && waiting !== undefined && isDeepStrictEqual(waiting[property], value)
}

/**
 * The contradictions that a verdict settles. Acceptance settles all. `reject` settles those of superseded claims, and of the claims
 * that it refuses. `request_changes` and `escalate` settle none.
 */
export function settledFlags(old: History, { verdict }: DecisionInput): Flag[] {
  if (verdict === 'request_changes' || verdict === 'escalate') return []
  const refused = new Set(underReview(old).map((it) => it.id))
  return openContradictions(old).filter(
    (it) => verdictEffects[verdict].accepts || supersededClaim(old, it) || refused.has(it.assertion_ids[0] ?? ''),
  )
}

/**
 * The claims that a verdict judges: those of the waiting revision. If no revision waits, claims made apart have brought the record into
 * review: those that contradict a standing value, and those of machines.
 */
export function underReview(old: History): Assertion[] {
  const ofRevision = old.assertions.filter(isUnderReview)
  return ofRevision.length > 0 ? ofRevision : claimsApart(old)
}

/** The superseded claims that an acceptance would let stand again, since their value waits and no other claim brings it. */
export function revivedClaims(old: History): Assertion[] {
  const isBrought = ({ asserted_property: property, value }: Assertion) =>
    old.assertions.some(
      (it) =>
        it.reconciliation_status === 'pending' &&
        it.asserted_property === property &&
        isDeepStrictEqual(it.value, value),
    )
  const stands = ({ asserted_property: property, value }: Assertion) =>
    old.public && isDeepStrictEqual(old.data[property], value)
  return old.assertions.filter(
    (it) => it.reconciliation_status === 'superseded' && isWaitingValue(old, it) && !isBrought(it) && !stands(it),
  )
}

/** The claims made apart that wait, and bring their record into review: those in a contradiction, and those of machines. */
export function claimsApart(old: History): Assertion[] {
  const contested = new Set(openContradictions(old).flatMap((it) => it.assertion_ids))
  return old.assertions.filter(
    (it) =>
      it.reconciliation_status === 'pending' &&
      it.revision_number === null &&
      (contested.has(it.id) || it.software !== null),
  )
}
