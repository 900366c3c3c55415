import { type Actor, mayDecide, type Rank, ranks } from '../../platform/permissions.ts'
import type { History } from '../records/history.ts'
import { isPending } from '../records/queue-entry.ts'
import { type Handling, handlings, type Verdict, verdictEffects, verdicts } from '../records/rules/verdicts.ts'
import { decidingOn, personaAfter } from './decide.ts'
import { isContested } from './verdict.ts'

/** What a caller may decide on a waiting record, by the same rules as a decision. */
export type Options = {
  /** The least rank that may accept it as it is. */
  required_persona: Rank
  allowed_verdicts: Verdict[]
  /** How the caller may settle its contradictions when accepting it. */
  allowed_handlings: Handling[]
  /** Why the caller may not accept it; null where they may. */
  refusal: string | null
}

/** The options of a caller on a record. They do not look at leases. */
export function optionsOn(it: History, actor: Actor): Options {
  const allowed = isPending(it.status) ? verdicts.filter((verdict) => mayGive(actor, it, verdict)) : []
  const accepts = allowed.some((verdict) => verdictEffects[verdict].accepts)
  const contested = isContested(it)
  return {
    required_persona: contested ? higher(it.required_persona, 'domain_expert') : it.required_persona,
    allowed_verdicts: allowed,
    allowed_handlings: accepts ? handlings.filter((one) => (one === 'not_applicable') !== contested) : [],
    refusal: accepts ? null : whyNot(it, actor),
  }
}

const ruling = (actor: Actor, it: History, verdict: Verdict) =>
  mayDecide(actor, decidingOn(it, { verdict, confidence_override: null }))

/** Nothing is escalated beyond the highest rank. */
const mayGive = (actor: Actor, it: History, verdict: Verdict) =>
  ruling(actor, it, verdict) === true && (verdict !== 'escalate' || personaAfter(it, verdict) !== it.required_persona)

function whyNot(it: History, actor: Actor): string | null {
  if (!isPending(it.status)) return 'Nothing waits for review here.'
  const found = ruling(actor, it, 'accept')
  return found === true ? null : refusalIn(found)
}

const refusalIn = (found: Exclude<ReturnType<typeof mayDecide>, true>): string =>
  typeof found === 'object' ? found.refusal : 'You may not decide on this.'

const higher = (a: Rank, b: Rank): Rank => (ranks.indexOf(a) >= ranks.indexOf(b) ? a : b)
