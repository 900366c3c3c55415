import type { Comparison } from '../matching/compare.ts'
import { worstSource } from '../records/rules/triage.ts'
import type { Handling } from '../records/rules/verdicts.ts'

export type Proposal = { proposed_handling: Exclude<Handling, 'not_applicable'>; why: string }
type Sourced = { source_type: string }

/** How a rival claim is best settled against the one that stands, and why; nothing where both say the same. */
export function propose(verdict: Comparison, standing: Sourced, rival: Sourced): Proposal | undefined {
  if (verdict === 'same') return undefined
  return verdict === 'contradicts' ? proposals[better(standing, rival)] : proposals[verdict]
}

/** Which of two claims that exclude each other has the source that is trusted more. */
function better(standing: Sourced, rival: Sourced): 'standing' | 'rival' | 'neither' {
  const [old, next] = [standing, rival].map((it) => worstSource([it.source_type]).worst_source_rank)
  if (old === undefined || next === undefined || old === next) return 'neither'
  return next < old ? 'rival' : 'standing'
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
  neither: {
    proposed_handling: 'disputed',
    why: 'The values exclude each other, and their sources are of equal standing.',
  },
} as const satisfies Record<string, Proposal>
