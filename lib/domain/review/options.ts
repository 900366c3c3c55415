import { type Actor, leastRanks, mayDecide, type Rank, ranks } from '../../platform/permissions.ts'
import { isCorrection } from '../records/corrections.ts'
import type { History } from '../records/history.ts'
import { type Assertion, isSettled } from '../records/items.ts'
import { isPending } from '../records/queue-entry.ts'
import { type Handling, handlings, type Verdict, verdictEffects, verdicts } from '../records/rules/verdicts.ts'
import { decidingOn, personaAfter } from './decide.ts'
import { isContested, underReview } from './verdict.ts'

/** The decisions that a caller may give on a waiting record, by the same rules as a decision. */
export type ReviewOptions = {
  /** The least rank that may accept the record as it is. */
  required_persona: Rank
  allowed_verdicts: Verdict[]
  /** The handlings that the caller may choose for its contradictions when accepting it. */
  allowed_handlings: Handling[]
  /** Why the caller may not accept it. Null if they may. */
  refusal: string | null
}

/** Computes the options of a caller on a record. It ignores leases: a lease of another reviewer still refuses the verdict. */
export function reviewOptionsOf(record: History, actor: Actor): ReviewOptions {
  const allowed = isPending(record.status) ? verdicts.filter((verdict) => mayGive(actor, record, verdict)) : []
  const accepts = allowed.some((verdict) => verdictEffects[verdict].accepts)
  const contested = isContested(record)
  return {
    required_persona: contested
      ? higherOf(record.required_persona, leastRanks.settlesContradiction)
      : record.required_persona,
    allowed_verdicts: allowed,
    allowed_handlings: accepts ? handlings.filter((handling) => isAllowed(handling, record, contested)) : [],
    refusal: accepts ? null : refusalOf(record, actor),
  }
}

/** A contradiction needs a handling. A correction is accepted with `not_applicable` or, which means the same, with `supersedes`. */
const isAllowed = (handling: Handling, record: History, contested: boolean) =>
  handling === 'not_applicable'
    ? !contested
    : contested || (handling === 'supersedes' && underReview(record).some((claim) => isCorrectionOfAny(record, claim)))

const isCorrectionOfAny = (record: History, claim: Assertion) =>
  record.assertions.some(
    (standing) =>
      standing.asserted_property === claim.asserted_property &&
      isSettled(standing) &&
      isCorrection(record, standing, claim),
  )

const rulingOn = (actor: Actor, record: History, verdict: Verdict) =>
  mayDecide(actor, decidingOn(record, { verdict, confidence_override: null }))

/** Whether the caller may give a verdict. A record that already requires the highest rank cannot be escalated. */
const mayGive = (actor: Actor, record: History, verdict: Verdict) =>
  rulingOn(actor, record, verdict) === true &&
  (verdict !== 'escalate' || personaAfter(record, verdict) !== record.required_persona)

function refusalOf(record: History, actor: Actor): string | null {
  if (!isPending(record.status)) return 'Nothing waits for review here.'
  const ruling = rulingOn(actor, record, 'accept')
  return ruling === true ? null : refusalText(ruling)
}

const refusalText = (ruling: Exclude<ReturnType<typeof mayDecide>, true>): string =>
  typeof ruling === 'object' ? ruling.refusal : 'You may not decide on this.'

const higherOf = (a: Rank, b: Rank): Rank => (ranks.indexOf(a) >= ranks.indexOf(b) ? a : b)
