import type { Comparison } from '../matching/compare.ts'
import type { Handling } from '../records/rules/verdicts.ts'

export type Proposal = { proposed_handling: Exclude<Handling, 'not_applicable'>; why: string }
type Sourced = { source_type: string; confidence: string }

/** Sources in the order in which they are trusted; those in one row are of equal rank. */
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
/** Ranks that differ by this or less are close: then confidence decides, and nothing is proposed to be superseded. */
const CLOSE = 1

/** How a rival claim is best settled against the one that stands, and why; nothing where both say the same. */
export function propose(verdict: Comparison, standing: Sourced, rival: Sourced): Proposal | undefined {
  if (verdict === 'same') return undefined
  return verdict === 'contradicts' ? proposals[better(standing, rival)] : proposals[verdict]
}

/** Which of two claims that exclude each other is to be trusted more: by its source, among close ones by its confidence. */
function better(standing: Sourced, rival: Sourced): 'standing' | 'surer' | 'rival' | 'neither' {
  const rank = rankOf(standing) - rankOf(rival)
  const confidence = confidenceOf(standing) - confidenceOf(rival)
  if (rank > CLOSE && confidence >= 0) return 'rival'
  if (rank < -CLOSE) return 'standing'
  return Math.abs(rank) <= CLOSE && confidence < 0 ? 'surer' : 'neither'
}

/** What names no source, or one that nobody knows, is trusted least. */
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
