import { type Comparator, type Comparison, compare, type Value } from '../../matching/compare.ts'

/** One assertion about one record, as the conflict check needs it. */
export type Claim = {
  id: string
  property: string
  comparator: Comparator
  value: Value
  status: 'pending' | 'accepted' | 'disputed' | 'superseded' | 'rejected'
  author: string
}

export type Rival = { id: string; status: Claim['status']; verdict: Comparison }

/** What a new claim meets: the standing claims that it stands beside, and the author's own waiting ones whose place it takes. */
export type ClaimConflict = { claim: string; rivals: Rival[]; replaces: string[] }

/**
 * Compares each new claim with the standing claims on its property; superseded and rejected ones stand no longer. A person's newer claim
 * replaces their own older one that still waits for review, so nobody contradicts themselves before review; against an accepted
 * or disputed value a new one is judged whoever made it. New claims are not compared with each other: they are one edit.
 */
export function conflictsOf(standing: readonly Claim[], incoming: readonly Claim[]): ClaimConflict[] {
  return incoming.map((claim) => {
    const rivals = standing.filter((old) => old.property === claim.property && old.id !== claim.id && stands(old))
    const [own, others] = [
      rivals.filter((old) => isOwnDraft(old, claim)),
      rivals.filter((old) => !isOwnDraft(old, claim)),
    ]
    return { claim: claim.id, rivals: others.map((old) => judged(old, claim)), replaces: own.map((old) => old.id) }
  })
}

/** The rivals of an encounter that a reviewer has to settle. */
export function contradictions(encounter: ClaimConflict): Rival[] {
  return encounter.rivals.filter((rival) => rival.verdict === 'contradicts')
}

const stands = (claim: Claim) => claim.status !== 'superseded' && claim.status !== 'rejected'
const isOwnDraft = (old: Claim, claim: Claim) => old.status === 'pending' && old.author === claim.author

function judged(old: Claim, claim: Claim): Rival {
  return { id: old.id, status: old.status, verdict: compare(claim.comparator, old.value, claim.value) }
}
