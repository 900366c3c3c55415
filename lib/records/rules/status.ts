/** Every state that a contribution can be in; the rest of the wire's spellings are covered by `canonical`. */
export const statuses = ['draft', 'pending_review', 'pending_revision', 'accepted', 'rejected', 'superseded'] as const

export type Status = (typeof statuses)[number]

export type Canonical = 'draft' | 'pending_review' | 'accepted' | 'rejected' | 'superseded' | 'unknown'

/** The states that only the contributor, reviewers and staff may see; anything unknown is treated like them. */
export const withheld: readonly Status[] = ['pending_review', 'draft', 'rejected', 'pending_revision', 'superseded']

/** The canonical state behind any spelling of a status; null for the legacy records that carry none, which are published. */
export function canonical(status: string | null | undefined): Canonical | null {
  return status ? (spellings.get(status) ?? 'unknown') : null
}

/** Whether anyone may see a record of this status. */
export function isPublished(status: string | null | undefined): boolean {
  return !status || published.has(status)
}

const published = new Set(['accepted', 'merged', 'published'])

const spellings: ReadonlyMap<string, Canonical> = new Map([
  ['draft', 'draft'],
  ['pending', 'pending_review'],
  ['pending_review', 'pending_review'],
  ['pending_revision', 'pending_review'],
  ['accepted', 'accepted'],
  ['approved', 'accepted'],
  ['incorporated', 'accepted'],
  ['merged', 'accepted'],
  ['published', 'accepted'],
  ['rejected', 'rejected'],
  ['superseded', 'superseded'],
])

/** Where a contribution stands. `public` says that an accepted revision is what the public sees, whatever waits behind it. */
export type State = { status: Status; public: boolean; deleted: boolean }

export type Trigger = 'submit' | 'revise' | 'edit' | 'accept' | 'reject' | 'request_changes' | 'escalate'

type Row = {
  trigger: Trigger
  from: readonly Status[]
  /** Only where an accepted revision stands, or only where none does. */
  public?: boolean
  to: Status | 'unchanged'
  becomes?: Pick<State, 'public'>
}

/** Where the trigger leads from this state; undefined when the move is not allowed. Who may pull it is for lib/permissions.ts to say. */
export function move(state: State, trigger: Trigger): State | undefined {
  const row = moves.find((each) => each.trigger === trigger && fits(each, state))
  if (!row) return undefined
  const status = row.to === 'unchanged' ? state.status : row.to
  return { ...state, status, ...row.becomes }
}

const fits = (row: Row, state: State) =>
  !state.deleted && row.from.includes(state.status) && (row.public === undefined || row.public === state.public)

const waiting = ['pending_review', 'pending_revision'] as const
const living = ['draft', 'pending_review', 'pending_revision', 'accepted', 'rejected'] as const

/** The allowed moves; the first row that fits counts. No move leads to `superseded` or out of it, and none moves what is deleted. */
export const moves: readonly Row[] = [
  { trigger: 'submit', from: ['draft'], to: 'pending_review' },

  { trigger: 'revise', from: ['draft', 'rejected', 'pending_revision'], public: false, to: 'pending_revision' },
  { trigger: 'revise', from: ['pending_review'], public: false, to: 'pending_review' },
  { trigger: 'edit', from: ['draft', ...waiting, 'rejected'], public: false, to: 'unchanged' },
  // Behind a published record the edit waits; the public goes on seeing the accepted revision.
  { trigger: 'edit', from: ['accepted', ...waiting], public: true, to: 'pending_review' },
  { trigger: 'revise', from: waiting, public: true, to: 'pending_review' },

  { trigger: 'accept', from: living, to: 'accepted', becomes: { public: true } },

  // Refusing an edit does not refuse what was published before it.
  { trigger: 'reject', from: waiting, public: true, to: 'accepted' },
  { trigger: 'reject', from: living, to: 'rejected', becomes: { public: false } },

  { trigger: 'request_changes', from: living, to: 'pending_revision' },
  { trigger: 'escalate', from: waiting, to: 'unchanged' },
]
