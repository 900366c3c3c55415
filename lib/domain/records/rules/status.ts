/** Every status that a stored contribution can have. `canonicalStatus` maps all other spellings of the wire. */
export const statuses = ['draft', 'pending_review', 'pending_revision', 'accepted', 'rejected', 'superseded'] as const

export type Status = (typeof statuses)[number]

export type CanonicalStatus = 'draft' | 'pending_review' | 'accepted' | 'rejected' | 'superseded' | 'unknown'

/** The statuses of records that were never accepted. Only the contributor, reviewers and staff see those. */
export const withheldStatuses: readonly Status[] = [
  'pending_review',
  'draft',
  'rejected',
  'pending_revision',
  'superseded',
]

/**
 * The canonical status for any spelling: `merged` gives `accepted`. Null for legacy records without a status, which are
 * published.
 */
export function canonicalStatus(status: string | null | undefined): CanonicalStatus | null {
  return status ? (spellings.get(status) ?? 'unknown') : null
}

/** Whether the spelling of a status means that the record is published. No status means so too; an unknown one does not. */
export function isPublished(status: string | null | undefined): boolean {
  return !status || publishedSpellings.has(status)
}

const publishedSpellings = new Set(['accepted', 'merged', 'published'])

const spellings: ReadonlyMap<string, CanonicalStatus> = new Map([
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

/** Where a contribution stands. `public`: an accepted revision stands, even if an edit waits behind it. */
export type State = { status: Status; public: boolean; deleted: boolean }

export type Trigger = 'submit' | 'revise' | 'edit' | 'accept' | 'reject' | 'request_changes' | 'escalate'

type Row = {
  trigger: Trigger
  from: readonly Status[]
  /** True: only where an accepted revision stands. False: only where none does. Absent: both. */
  public?: boolean
  to: Status | 'unchanged'
  becomes?: Pick<State, 'public'>
}

/** The state after a move. Undefined when the move is not allowed. lib/platform/permissions.ts decides who may make it. */
export function findMove(state: State, trigger: Trigger): State | undefined {
  const row = moves.find((each) => each.trigger === trigger && fits(each, state))
  if (!row) return undefined
  const status = row.to === 'unchanged' ? state.status : row.to
  return { ...state, status, ...row.becomes }
}

const fits = (row: Row, state: State) =>
  !state.deleted && row.from.includes(state.status) && (row.public === undefined || row.public === state.public)

const waitingStatuses = ['pending_review', 'pending_revision'] as const
const livingStatuses = ['draft', 'pending_review', 'pending_revision', 'accepted', 'rejected'] as const

/** The allowed moves. The first row that fits counts. No move leads to or from `superseded`, and deleted records do not move. */
export const moves: readonly Row[] = [
  { trigger: 'submit', from: ['draft'], to: 'pending_review' },

  { trigger: 'revise', from: ['draft', 'rejected', 'pending_revision'], public: false, to: 'pending_revision' },
  { trigger: 'revise', from: ['pending_review'], public: false, to: 'pending_review' },
  { trigger: 'edit', from: ['draft', ...waitingStatuses, 'rejected'], public: false, to: 'unchanged' },
  // An edit waits behind a published record. The public still sees the accepted revision.
  { trigger: 'edit', from: ['accepted', ...waitingStatuses], public: true, to: 'pending_review' },
  { trigger: 'revise', from: waitingStatuses, public: true, to: 'pending_review' },

  { trigger: 'accept', from: livingStatuses, to: 'accepted', becomes: { public: true } },

  // A refused edit leaves the published revision accepted.
  { trigger: 'reject', from: waitingStatuses, public: true, to: 'accepted' },
  { trigger: 'reject', from: livingStatuses, to: 'rejected', becomes: { public: false } },

  { trigger: 'request_changes', from: livingStatuses, to: 'pending_revision' },
  { trigger: 'escalate', from: waitingStatuses, to: 'unchanged' },
]
