import type { Comparison } from '../../engines/matching/index.ts'
import type { Handling } from '../records/rules/verdicts.ts'

export type Proposal = { proposed_handling: Exclude<Handling, 'not_applicable'>; why: string }
type Sourced = { source_type: string; confidence: string }

/** Sources, the most trusted first. Those in one row have equal rank. */
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
const CLOSE = 1

/** Proposes how to settle a rival claim against the standing one. Undefined if both say the same. */
export function proposeHandling(verdict: Comparison, standing: Sourced, rival: Sourced): Proposal | undefined {
  if (verdict === 'same') return undefined
  return verdict === 'contradicts' ? proposals[better(standing, rival)] : proposals[verdict]
}

/**
 * Which of two contradicting claims is trusted more. The standing one wins by a better source, or by confidence if the
 * sources are close. The rival wins only with a better source and at least equal confidence.
 */
function better(standing: Sourced, rival: Sourced): 'standing' | 'surer' | 'rival' | 'neither' {
  const rank = rankOf(standing) - rankOf(rival)
  const confidence = confidenceOf(standing) - confidenceOf(rival)
  if (rank > CLOSE && confidence >= 0) return 'rival'
  if (rank < -CLOSE) return 'standing'
  return Math.abs(rank) <= CLOSE && confidence < 0 ? 'surer' : 'neither'
}

/** An unknown or missing source ranks last. */
const rankOf = ({ source_type }: Sourced) => {
  const at = sourceRanks.findIndex((row) => row.includes(source_type))
  return at < 0 ? sourceRanks.length : at
}
const confidenceOf = ({ confidence }: Sourced) => {
  const at = confidences.indexOf(confidence)
  return at < 0 ? confidences.length : at
}

const proposals = {
  refines: { proposed_handling: 'refines', why: 'The new value says the same more exactly.' },
  compatible: { proposed_handling: 'coexist', why: 'Both values can be true.' },
  rival: {
    proposed_handling: 'supersedes',
    why: 'The values exclude each other, and the new one has the better source.',
  },
  standing: {
    proposed_handling: 'existing_stands',
    why: 'The values exclude each other, and the existing one has the better source.',
  },
  surer: {
    proposed_handling: 'existing_stands',
    why: 'The values exclude each other; their sources are close, and the existing one is given with more confidence.',
  },
  neither: {
    proposed_handling: 'disputed',
    why: 'The values exclude each other, and neither is clearly better founded.',
  },
} as const satisfies Record<string, Proposal>
