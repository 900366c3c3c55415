import type { Facts } from '../../engines/estimate/index.ts'
import { compareValues } from '../records/corrections.ts'
import type { History } from '../records/history.ts'
import type { Assertion, Decision } from '../records/items.ts'

/** What is counted of a claim, and what reviewers first decided on it. */

type Judged = Pick<History, 'kind' | 'data' | 'assertions' | 'decisions'>

/** Earlier decisions on the claims of somebody: how many there were, and how many claims were kept. */
export type Tally = { kept: number; decided: number }
export const noTally: Tally = { kept: 0, decided: 0 }

/** The first decision on a claim. `kept` is true if the decision let the claim stand, alone or beside others. */
export type Outcome = { at: string; kept: boolean }

/** How many imagined decisions at the base rate are added to the real ones, so that few decisions say little. */
const PRIOR = { claimant: 20, beside: 5 }
/** The most rivals, and the most supporters, that are counted. */
const MOST_COUNTED = 3

/** The share that was kept, as log-odds, drawn towards the base rate. */
function shareOf({ kept, decided }: Tally, base: number, prior: number): number {
  const share = (kept + prior * base) / (decided + prior)
  return Math.log(share / (1 - share))
}

/** The share of a claimant's earlier claims that was kept, as log-odds, drawn towards the base rate. */
export const claimantShare = (tally: Tally, base: number): number => shareOf(tally, base, PRIOR.claimant)

/** A moment, and what was known then. Without `tally` nothing is said of the claimant. */
type Moment = { at: string; tally?: Tally | undefined; base: number; outcomes: ReadonlyMap<string, Outcome> }

/**
 * The facts of a claim at a moment: what it says of itself, and what is counted around it. Counted are other living claims that agree or
 * contradict, and decisions on other claims of the record. So are earlier decisions on its author's claims.
 */
export function factsOf(record: Judged, claim: Assertion, { at, tally, base, outcomes }: Moment): Facts {
  const others = record.assertions.filter((it) => it.id !== claim.id && it.created_at <= at)
  const rivals = others.filter((it) => it.asserted_property === claim.asserted_property && isAlive(it, at))
  const verdicts = rivals.map((it) => compareValues(record, claim.asserted_property, it, claim))
  const count = (...wanted: readonly string[]) =>
    Math.min(MOST_COUNTED, verdicts.filter((it) => it !== null && wanted.includes(it)).length)
  const beside = others.flatMap((it) => {
    const outcome = outcomes.get(it.id)
    return outcome && outcome.at < at ? [outcome] : []
  })
  return {
    source_type: claim.source_type || 'none',
    confidence: claim.confidence || 'none',
    property: claim.asserted_property,
    machine: claim.software === null ? 'no' : 'yes',
    rivals: count('contradicts'),
    supporters: count('same', 'refines'),
    beside: shareOf({ kept: beside.filter(({ kept }) => kept).length, decided: beside.length }, base, PRIOR.beside),
    ...(tally && { claimant: claimantShare(tally, base) }),
  }
}

/** Whether a claim stood or waited at a moment, by its last change alone. A superseded claim counts until that change, any other claim always. */
const isAlive = ({ reconciliation_status, updated_at }: Assertion, at: string) =>
  reconciliation_status !== 'superseded' || updated_at >= at

/** The first decision on each claim of a record. A claim is missing if nobody has decided on it, or its own author decided first. */
export function outcomesOf({ assertions, decisions }: Pick<History, 'assertions' | 'decisions'>): Map<string, Outcome> {
  const oldestFirst = decisions.toSorted((a, b) => a.sequence - b.sequence)
  const found = assertions.flatMap((claim): [string, Outcome][] => {
    for (const decision of oldestFirst) {
      const kept = verdictOn(claim, decision)
      if (kept === undefined) continue
      // A claim that its own author decided on has no outcome: nobody else kept it.
      return decision.reviewer_id === claim.contributor_id ? [] : [[claim.id, { at: decision.created_at, kept }]]
    }
    return []
  })
  return new Map(found)
}

/** Whether a decision kept a claim. Undefined if it said nothing of it. */
function verdictOn(claim: Assertion, { outcomes, verdict, created_at }: Decision): boolean | undefined {
  const outcome = outcomes.find(({ property }) => property === claim.asserted_property)
  if (outcome?.stands === claim.id) return true
  if (outcome?.rivals.includes(claim.id)) return keptBeside.includes(outcome.rule)
  // A refusal stores no outcome, and an edit of the reviewer does not name the claim that it replaces. Both supersede the claim at the
  // time of the decision.
  const isLost = claim.reconciliation_status === 'superseded' && claim.updated_at === created_at
  return isLost && (verdict === 'reject' || outcome?.rule === 'edited') ? false : undefined
}
/** The rules by which a claim is kept beside the one that stands. */
const keptBeside: readonly string[] = ['coexist', 'refines', 'disputed']
