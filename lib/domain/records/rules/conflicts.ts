import '../../search-words/name-words.ts'
import { type Comparator, type Comparison, compareClaims, type Value } from '../../../engines/matching/index.ts'

/** A claim in the form that comparators take. */
export type ComparedClaim = {
  id: string
  property: string
  comparator: Comparator
  value: Value
  status: 'pending' | 'accepted' | 'disputed' | 'superseded'
  author: string
}

/** `verdict`: the comparator's result for the rival and the new claim. */
export type RivalClaim = { id: string; status: ComparedClaim['status']; verdict: Comparison }

/** A new claim (`claim`), its rivals, and the author's own waiting claims that it replaces. Claims are named by id. */
export type ClaimConflict = { claim: string; rivals: RivalClaim[]; replaces: string[] }

/**
 * Compares each new claim with the claims on its property that stand or wait.
 *
 * - A new claim replaces the author's own claim that still waits. So nobody contradicts themselves before review.
 * - It is compared with every other claim that is not superseded.
 * - New claims are not compared with each other: they are one edit.
 */
export function findConflicts(standing: readonly ComparedClaim[], incoming: readonly ComparedClaim[]): ClaimConflict[] {
  return incoming.map((claim) => {
    const rivals = standing.filter((old) => old.property === claim.property && old.id !== claim.id && isStanding(old))
    const [own, others] = [
      rivals.filter((old) => isOwnDraft(old, claim)),
      rivals.filter((old) => !isOwnDraft(old, claim)),
    ]
    return {
      claim: claim.id,
      rivals: others.map((old) => compareRival(old, claim)),
      replaces: own.map((old) => old.id),
    }
  })
}

/** Lists the rivals that contradict the new claim. A reviewer has to settle these. */
export function contradictingRivals(conflict: ClaimConflict): RivalClaim[] {
  return conflict.rivals.filter((rival) => rival.verdict === 'contradicts')
}

const isStanding = (claim: ComparedClaim) => claim.status !== 'superseded'
const isOwnDraft = (old: ComparedClaim, claim: ComparedClaim) => old.status === 'pending' && old.author === claim.author

function compareRival(old: ComparedClaim, claim: ComparedClaim): RivalClaim {
  return { id: old.id, status: old.status, verdict: compareClaims(claim.comparator, old.value, claim.value) }
}
