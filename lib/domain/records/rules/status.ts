/** The statuses that records have. `canonicalStatus` also knows other spellings, such as `merged`. */
export const recordStatuses = [
  'draft',
  'pending_review',
  'pending_revision',
  'accepted',
  'rejected',
  'superseded',
] as const

export type RecordStatus = (typeof recordStatuses)[number]

export type CanonicalStatus = 'draft' | 'pending_review' | 'accepted' | 'rejected' | 'superseded' | 'unknown'

/**
 * The statuses by which withheld records are listed. A withheld record was never accepted, or another record has replaced it
 * (`superseded`).
 */
export const withheldStatuses: readonly RecordStatus[] = [
  'pending_review',
  'draft',
  'rejected',
  'pending_revision',
  'superseded',
]

/** Maps each spelling of a status to one. Example: `merged` gives `accepted`. Null if the status is absent: such an old record is published. */
export function canonicalStatus(status: string | null | undefined): CanonicalStatus | null {
  return status ? (spellings.get(status) ?? 'unknown') : null
}

/** Whether a status means published. True for an absent status, false for an unknown one. */
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

/** `public`: an accepted revision stands, even if an edit waits behind it. */
export type ReviewState = { status: RecordStatus; public: boolean; deleted: boolean }

export type Trigger =
  | 'submit'
  | 'revise'
  | 'edit'
  | 'accept'
  | 'reject'
  | 'request_changes'
  | 'escalate'
  | 'supersede'
  | 'give_way'

type MoveRow = {
  trigger: Trigger
  from: readonly RecordStatus[]
  /** True: only if an accepted revision stands. False: only if none does. Absent: in both cases. */
  public?: boolean
  to: RecordStatus | 'unchanged'
  becomes?: Pick<ReviewState, 'public'>
}

/** Returns the state after a move. Undefined if no row allows it. lib/platform/permissions.ts decides who may make the move. */
export function findMove(state: ReviewState, trigger: Trigger): ReviewState | undefined {
  const row = moves.find((candidate) => candidate.trigger === trigger && isAllowedFrom(state, candidate))
  if (!row) return undefined
  const status = row.to === 'unchanged' ? state.status : row.to
  return { ...state, status, ...row.becomes }
}

const isAllowedFrom = (state: ReviewState, row: MoveRow) =>
  !state.deleted && row.from.includes(state.status) && (row.public === undefined || row.public === state.public)

const waitingStatuses = ['pending_review', 'pending_revision'] as const
const livingStatuses = ['draft', 'pending_review', 'pending_revision', 'accepted', 'rejected'] as const

/** The allowed moves. The first row that fits is used. No move leads from `superseded`, and deleted records do not move. */
export const moves: readonly MoveRow[] = [
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

  // A fork takes the place of this record, whose address still answers.
  { trigger: 'supersede', from: ['accepted'], public: true, to: 'superseded' },
  // The record of a fork that was merged gives way to its original, even if it waited until then.
  { trigger: 'give_way', from: livingStatuses, to: 'superseded' },
]
