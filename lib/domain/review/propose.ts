import type { Comparison } from '../../engines/matching/index.ts'
import type { Handling } from '../records/rules/verdicts.ts'

export type Proposal = { proposed_handling: Exclude<Handling, 'not_applicable'>; why: string }
type Sourced = { source_type: string; confidence: string }

/** Types of source, the most trusted first. Those in one row have equal rank. */
export const sourceRanks: readonly (readonly string[])[] = [
  ['inscription'],
  ['archival', 'archive'],
  ['thesis', 'journal', 'book', 'published'],
  ['field_survey', 'field_note'],
  ['oral_history'],
  ['image', 'pdf'],
  ['web'],
]
const confidences: readonly string[] = ['certain', 'likely', 'uncertain', 'speculative']
/** Ranks that differ by at most this are close. Then confidence decides, and `supersedes` is never proposed. */
const CLOSE_RANKS = 1

/**
 * Proposes how to settle a rival claim against the standing one. Undefined if their values are equal. `isCorrection`: the author
 * of the standing claim changes it, and it is theirs alone.
 */
export function proposeHandling(
  verdict: Comparison,
  standing: Sourced,
  rival: Sourced,
  isCorrection = false,
): Proposal | undefined {
  if (verdict === 'same') return undefined
  if (verdict === 'contradicts' && isCorrection) return proposals.correction
  return verdict === 'contradicts' ? proposals[weighClaims(standing, rival)] : proposals[verdict]
}

/**
 * Weighs two contradicting claims. The standing one wins by a better source, or by confidence if the
 * sources are close. The rival wins only with a better source and at least equal confidence.
 */
function weighClaims(standing: Sourced, rival: Sourced): 'standing' | 'more_confident' | 'rival' | 'neither' {
  const rank = rankOf(standing) - rankOf(rival)
  const confidence = confidenceOf(standing) - confidenceOf(rival)
  if (rank > CLOSE_RANKS && confidence >= 0) return 'rival'
  if (rank < -CLOSE_RANKS) return 'standing'
  return Math.abs(rank) <= CLOSE_RANKS && confidence < 0 ? 'more_confident' : 'neither'
}

type Evidence = Sourced & { contributor_id: string; source: string | null; source_citation: string; source_url: string }

/** Whether a claim corrects a standing one: of the same author, and of the same source or a better one. */
export const correctsOwnClaim = (standing: Evidence, rival: Evidence): boolean =>
  standing.contributor_id === rival.contributor_id &&
  (rankOf(rival) < rankOf(standing) || isSameSource(standing, rival))

const isSameSource = (a: Evidence, b: Evidence): boolean =>
  a.source_type === b.source_type &&
  a.source === b.source &&
  a.source_citation === b.source_citation &&
  a.source_url === b.source_url

/** An unknown or missing source ranks last. */
const rankOf = ({ source_type }: Sourced) => {
  const rank = sourceRanks.findIndex((row) => row.includes(source_type))
  return rank < 0 ? sourceRanks.length : rank
}
const confidenceOf = ({ confidence }: Sourced) => {
  const rank = confidences.indexOf(confidence)
  return rank < 0 ? confidences.length : rank
}

const proposals = {
  refines: { proposed_handling: 'refines', why: 'The new value says the same more exactly.' },
  compatible: { proposed_handling: 'coexist', why: 'Both values can be true.' },
  correction: {
    proposed_handling: 'supersedes',
    why: 'The author corrects their own value, by the same or a better source.',
  },
  rival: {
    proposed_handling: 'supersedes',
    why: 'The values exclude each other, and the new one has the better source.',
  },
  standing: {
    proposed_handling: 'existing_stands',
    why: 'The values exclude each other, and the existing one has the better source.',
  },
  more_confident: {
    proposed_handling: 'existing_stands',
    why: 'The values exclude each other; their sources are close, and the existing one is given with more confidence.',
  },
  neither: {
    proposed_handling: 'disputed',
    why: 'The values exclude each other, and neither is clearly better founded.',
  },
} as const satisfies Record<string, Proposal>
