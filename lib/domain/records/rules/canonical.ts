import { isDeepStrictEqual } from 'node:util'
import { type Handling, handlingRules } from './verdicts.ts'

/**
 * The values of a record are a pure function of its claims and decisions. A decision stores which claim stands, and no
 * result of a comparison. So the values stay the same even when comparators change.
 */

/**
 * A claim as these rules see it. `carried`: it belongs to a revision, and so to a contribution. `proposed`: a machine made it apart from
 * a contribution; an acceptance accepts it if its property has no value.
 */
export type ClaimState = {
  id: string
  property: string
  value?: unknown
  status: 'pending' | 'accepted' | 'disputed' | 'superseded'
  carried: boolean
  proposed?: boolean
}

export const outcomeRules = [
  'accepted',
  'replaced',
  'corrected',
  'edited',
  'removed',
  'supersedes',
  'coexist',
  'existing_stands',
  'refines',
  'disputed',
  'source_withdrawn',
  'source_restored',
] as const
/**
 * Why a claim stands.
 *
 * - `accepted`: nothing stood before.
 * - `replaced`: it replaced the value that stood.
 * - `corrected`: its author corrected the value that stood, which was theirs alone.
 * - `edited`: it is the reviewer's own value.
 * - `removed`: the property has no value any more.
 * - `source_withdrawn`: the source of the former value was put in question. `source_restored`: that was undone.
 * - Any other rule is the handling of a contradiction that decided.
 */
export type OutcomeRule = (typeof outcomeRules)[number]

/** The result of a decision for one property. `stands`: the id of the claim that stands since then, or null. */
export type PropertyOutcome = { property: string; stands: string | null; rule: OutcomeRule; rivals: readonly string[] }
/** The outcomes of one decision. `sequence` rises with each decision on the record. */
export type DecisionOutcomes = { id: string; sequence: number; outcomes: readonly PropertyOutcome[] }
export type CanonicalValue = PropertyOutcome & { decision: string; sequence: number; value: unknown }

/**
 * Computes the standing claim and value of each property, by the latest decision on it. The order of claims and decisions does
 * not matter.
 */
export function computeCanonical(
  claims: readonly ClaimState[],
  decisions: readonly DecisionOutcomes[],
): Map<string, CanonicalValue> {
  const claimById = new Map(claims.map((claim) => [claim.id, claim]))
  const standing = new Map<string, CanonicalValue>()
  for (const { id, sequence, outcomes } of decisions) {
    for (const outcome of outcomes) {
      if ((standing.get(outcome.property)?.sequence ?? -1) >= sequence) continue
      const value = claimById.get(outcome.stands ?? '')?.value
      standing.set(outcome.property, { ...outcome, decision: id, sequence, value })
    }
  }
  return standing
}

/** The facts on which an acceptance depends. */
export type Acceptance = {
  /** The claims of the record, oldest first, with those of the reviewer's edits. */
  claims: readonly ClaimState[]
  standing: ReadonlyMap<string, Pick<CanonicalValue, 'stands'>>
  /** The values to accept, with the reviewer's edits. */
  values: Readonly<Record<string, unknown>>
  /** The ids of the claims that the reviewer makes, by property. */
  edits: ReadonlyMap<string, string>
  /** The ids of the claims in open contradictions, by property. */
  contested: ReadonlyMap<string, readonly string[]>
  handling: Handling
  /** Whether the claim `by` is a correction of the standing claim `of`, by ids. */
  isCorrection?: (of: string, by: string) => boolean
}
/** The new status of a claim, with the id of the claim that it supersedes or refines. */
export type ClaimFate = { status: ClaimState['status']; supersedes?: string; refines?: string }
/** The result of an acceptance: an outcome for each property that changes, and a fate for each claim that changes. */
export type Settlement = { outcomes: PropertyOutcome[]; fates: Map<string, ClaimFate> }

/** Settles each property. A property or claim that the result does not mention stays as it is. */
export function settleReview(review: Acceptance): Settlement {
  const properties = [
    ...Object.keys(review.values),
    ...[...review.standing].flatMap(([property, { stands }]) => (stands === null ? [] : [property])),
    ...review.claims.filter((it) => isWaitingClaim(it) || isProposal(it)).map(({ property }) => property),
  ]
  const settlements = [...new Set(properties)].map((property) => settleProperty(review, property))
  return {
    outcomes: settlements.flatMap(({ outcomes }) => outcomes),
    fates: new Map(settlements.flatMap(({ fates }) => [...fates])),
  }
}

const isWaitingClaim = ({ carried, status }: ClaimState) => carried && status === 'pending'

const isProposal = ({ proposed, status }: ClaimState) => proposed === true && status === 'pending'

function settleProperty(
  { claims, standing, values, edits, contested, handling, isCorrection }: Acceptance,
  property: string,
): Settlement {
  const own = claims.filter((claim) => claim.property === property)
  const old = standing.get(property)?.stands ?? undefined
  // A waiting claim that is not chosen below is outdated: a later revision replaced it.
  const fates: Settlement['fates'] = new Map(own.filter(isWaitingClaim).map(({ id }) => [id, { status: 'superseded' }]))
  if (!(property in values)) {
    if (old === undefined) {
      const proposal = own.findLast(isProposal)?.id
      if (proposal === undefined) return { outcomes: [], fates }
      fates.set(proposal, { status: 'accepted' })
      return { outcomes: [{ property, stands: proposal, rule: 'accepted', rivals: [] }], fates }
    }
    fates.set(old, { status: 'superseded' })
    return { outcomes: [{ property, stands: null, rule: 'removed', rivals: [old] }], fates }
  }

  const edit = edits.get(property)
  const carrier = edit ?? findCarrier(own, old, values[property])
  // The claim that the reviewer corrects is no rival of the correction.
  const edited = edit && own.findLast((claim) => isWaitingClaim(claim) && claim.id !== edit)?.id
  const open = own.filter(
    ({ id, status }) => contested.get(property)?.includes(id) && status !== 'superseded' && id !== edited,
  )
  const newest = carrier ?? open.findLast(({ status }) => status === 'pending')?.id
  const rivals = open.map(({ id }) => id).filter((id) => id !== newest)
  if (newest === undefined) return { outcomes: [], fates }
  if (handling === 'not_applicable' || rivals.length === 0) {
    if (carrier === undefined) return { outcomes: [], fates }
    fates.set(carrier, { status: 'accepted', ...(old !== undefined && { supersedes: old }) })
    if (old !== undefined) fates.set(old, { status: 'superseded' })
    const taken = old !== undefined && isCorrection?.(old, carrier) ? 'corrected' : 'replaced'
    const rule = edit ? 'edited' : old === undefined ? 'accepted' : taken
    return { outcomes: [{ property, stands: carrier, rule, rivals: old === undefined ? [] : [old] }], fates }
  }

  const rule = handlingRules[handling]
  const first = old ?? rivals[0] ?? newest
  const statusOf = (id: string) => own.find((claim) => claim.id === id)?.status
  for (const id of rivals) {
    // With `existing_stands`, rivals that stand stay as they are. Rivals that wait lose, like the new claim.
    if (handling !== 'existing_stands') fates.set(id, { status: rule.rival })
    else if (statusOf(id) === 'pending') fates.set(id, { status: 'superseded' })
  }
  if (rule.stands === 'rival') fates.set(first, { status: rule.rival })
  else if (old !== undefined && !rivals.includes(old)) fates.set(old, { status: 'superseded' })
  fates.set(newest, {
    status: rule.claim,
    ...(rule.rival === 'superseded' && { supersedes: first }),
    ...(handling === 'refines' && { refines: first }),
  })
  const stands = rule.stands === 'claim' ? newest : first
  const against = [...new Set([...(old === undefined ? [] : [old]), ...rivals, newest])].filter((id) => id !== stands)
  return { outcomes: [{ property, stands, rule: handling, rivals: against }], fates }
}

/**
 * Returns the id of the claim that brings a value: the latest waiting claim with this value. Undefined if the value
 * stands already. If a refused value is sent again unchanged, there is no new claim: then the refused claim brings it.
 */
function findCarrier(own: readonly ClaimState[], old: string | undefined, value: unknown): string | undefined {
  const equal = own.filter((claim) => isDeepStrictEqual(claim.value, value))
  const waiting = equal.findLast(isWaitingClaim)
  if (waiting || equal.some(({ id }) => id === old)) return waiting?.id
  return equal.findLast(({ carried }) => carried)?.id
}
