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

export type Trigger =
  | 'create'
  | 'submit'
  | 'revise'
  | 'edit'
  | 'accept'
  | 'reject'
  | 'request_changes'
  | 'escalate'
  | 'supersede'
  | 'delete'
  | 'restore'

type Who = 'contributor' | 'reviewer' | 'staff'

/** What is written in the same commit, beside the status. */
type Also =
  | 'revision'
  | 'current_revision'
  | 'accepted_revision'
  | 'withdraw_revision'
  | `activity ${string}`
  | `notify ${string}`

type Row = {
  trigger: Trigger
  from: readonly Status[]
  public?: boolean
  deleted?: true
  to: Status | 'unchanged'
  becomes?: Partial<Pick<State, 'public' | 'deleted'>>
  who: readonly Who[]
  also: readonly Also[]
}

/** What a trigger leads to, who may pull it, and what else the commit writes. */
export type Move = { to: State; who: readonly Who[]; also: readonly Also[] }

/** Where the trigger leads from this state (undefined: nothing there yet, for `create`); undefined when the move is not allowed. */
export function move(state: State | undefined, trigger: Trigger): Move | undefined {
  if (!state) return trigger === 'create' ? creation : undefined
  const row = moves.find((each) => each.trigger === trigger && fits(each, state))
  if (!row) return undefined
  const status = row.to === 'unchanged' ? state.status : row.to
  return { to: { ...state, status, ...row.becomes }, who: row.who, also: row.also }
}

function fits(row: Row, state: State): boolean {
  const visible = row.public === undefined || row.public === state.public
  return visible && (row.deleted ?? false) === state.deleted && row.from.includes(state.status)
}

const creation: Move = {
  to: { status: 'pending_review', public: false, deleted: false },
  who: ['contributor'],
  also: ['revision', 'current_revision', 'activity submitted', 'notify contributor', 'notify reviewers'],
}

const owner = ['contributor', 'staff'] as const
const reviewers = ['reviewer', 'staff'] as const
const waiting = ['pending_review', 'pending_revision'] as const
const living = ['draft', 'pending_review', 'pending_revision', 'accepted', 'rejected'] as const
const reworked = ['revision', 'current_revision', 'activity revised'] as const
const accepting = ['current_revision', 'accepted_revision', 'activity accepted', 'notify contributor'] as const
const rejecting = ['activity rejected', 'notify contributor'] as const

/** The allowed moves; the first row that fits counts. Nothing leads out of `superseded`, and only staff lead out of deletion. */
export const moves: readonly Row[] = [
  {
    trigger: 'submit',
    from: ['draft'],
    to: 'pending_review',
    who: ['contributor'],
    also: ['activity submitted', 'notify reviewers'],
  },

  {
    trigger: 'revise',
    from: ['draft', 'rejected', 'pending_revision'],
    public: false,
    to: 'pending_revision',
    who: owner,
    also: reworked,
  },
  { trigger: 'revise', from: ['pending_review'], public: false, to: 'pending_review', who: owner, also: reworked },
  {
    trigger: 'edit',
    from: ['draft', ...waiting, 'rejected'],
    public: false,
    to: 'unchanged',
    who: owner,
    also: reworked,
  },
  // Behind a published record the edit waits; the public goes on seeing the accepted revision.
  ...(['edit', 'revise'] as const).map(
    (trigger): Row => ({
      ...{ trigger, from: ['accepted', ...waiting], public: true, to: 'pending_review', who: owner },
      also: ['revision', 'current_revision', 'activity submitted', 'notify reviewers'],
    }),
  ),

  { trigger: 'accept', from: living, to: 'accepted', becomes: { public: true }, who: reviewers, also: accepting },

  // Refusing an edit does not refuse what was published before it.
  {
    trigger: 'reject',
    from: waiting,
    public: true,
    to: 'accepted',
    who: reviewers,
    also: ['withdraw_revision', ...rejecting],
  },
  { trigger: 'reject', from: living, to: 'rejected', becomes: { public: false }, who: reviewers, also: rejecting },

  {
    ...{ trigger: 'request_changes', from: living, to: 'pending_revision', who: reviewers },
    also: ['activity changes_requested', 'notify contributor'],
  },
  {
    trigger: 'escalate',
    from: waiting,
    to: 'unchanged',
    who: reviewers,
    also: ['activity escalated', 'notify reviewers'],
  },
  {
    trigger: 'supersede',
    from: ['accepted'],
    to: 'superseded',
    becomes: { public: false },
    who: reviewers,
    also: ['activity superseded'],
  },

  {
    trigger: 'delete',
    from: statuses,
    public: false,
    to: 'unchanged',
    becomes: { deleted: true },
    who: owner,
    also: ['activity deleted'],
  },
  {
    trigger: 'delete',
    from: statuses,
    public: true,
    to: 'unchanged',
    becomes: { deleted: true },
    who: ['staff'],
    also: ['activity deleted'],
  },
  {
    ...{
      trigger: 'restore',
      from: statuses,
      deleted: true,
      to: 'unchanged',
      becomes: { deleted: false },
      who: ['staff'],
    },
    also: ['activity restored'],
  },
]
