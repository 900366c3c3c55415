import { impossible } from '../../base/errors.ts'

/** For each step: the states in which a proposal of any sort may take it, and the state to which it leads. */
const moves = {
  submitted: { from: ['draft'], to: 'submitted' },
  withdrawn: { from: ['draft', 'submitted'], to: 'withdrawn' },
  approved: { from: ['submitted'], to: 'approved' },
  rejected: { from: ['submitted'], to: 'rejected' },
} as const satisfies Readonly<Record<string, { from: readonly string[]; to: string }>>

/** A step that a person takes with a proposal. */
export type ProposalMove = keyof typeof moves

/** Fails with `invalid` if a step does not begin at this state. */
export function checkMove(status: string, move: ProposalMove): void {
  if (!moves[move].from.some((it) => it === status)) throw impossible(`A proposal that is ${status} cannot be ${move}.`)
}

/** The state to which a step leads. Fails as `checkMove` does. */
export function stateAfter(status: string, move: ProposalMove): (typeof moves)[ProposalMove]['to'] {
  checkMove(status, move)
  return moves[move].to
}
