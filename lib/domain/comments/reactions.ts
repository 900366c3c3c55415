import * as v from 'valibot'
import { notFound } from '../../base/errors.ts'
import * as s from '../../base/shapes.ts'
import {
  defineItem,
  getMany,
  itemIn,
  type Key,
  put,
  type Stored,
  type UnitOfWork,
  type Write,
  withNextVersion,
} from '../../engines/table/index.ts'
import type { Actor } from '../../platform/permissions.ts'
import { key } from '../../platform/table/keys.ts'
import { type Comment, comment, type Thread, threadOf } from './items.ts'

/** Votes on records and on the comments of their threads. Each person has one vote on each of them. */
export const reactionTypes = ['upvote', 'downvote'] as const
export type ReactionType = (typeof reactionTypes)[number]
const Reaction = v.picklist(reactionTypes)

/** The votes of one person in one thread, as one item. So a page of comments reads only one more key. */
export const marks = defineItem({
  type: 'reactions',
  schema: v.object({
    thread: v.string(),
    user_id: v.string(),
    on: v.record(v.string(), Reaction),
    version: v.number(),
  }),
  key: (it: { thread: string; user_id: string }) => key.reactions(it.thread, it.user_id),
})

/** The votes on the record itself. A comment holds its own sums. */
const totals = defineItem({
  type: 'reaction_totals',
  schema: v.object({ thread: v.string(), upvotes: v.number(), downvotes: v.number(), version: v.number() }),
  key: (it: { thread: string }) => key.reactions(it.thread, 'TOTALS'),
})

export type ReactionSummary = { upvotes: number; downvotes: number; user_reaction: ReactionType | null }
/** The target of a vote: the record of a thread, or a comment in it. */
export type ReactionTarget = { thread: Thread; comment: Comment | null }

/** The key of the reader's own votes in a thread; empty if nobody is signed in. */
export const reactionKeys = (thread: Thread, actor: Actor | null): Key[] =>
  actor ? [key.reactions(threadOf(thread), actor.id)] : []

/** The votes for and against, and the reader's own one. */
export const ReactionsView = s.shape('Reactions', () =>
  v.object({
    upvotes: s.whole,
    downvotes: s.whole,
    user_reaction: s.maybe(v.picklist(['upvote', 'downvote'])),
  }),
)

/** The votes on a comment with the reader's own one. `found` holds what `reactionKeys` named. */
export function reactionsTo(it: Comment, found: ReadonlyMap<string, Stored>, actor: Actor | null): ReactionSummary {
  const own = actor && itemIn(found, marks, { thread: it.thread, user_id: actor.id })
  return { upvotes: it.upvotes, downvotes: it.downvotes, user_reaction: own?.on[it.id] ?? null }
}

/** The votes on a target with the reader's own one. One call. */
export async function loadReactions(target: ReactionTarget, actor: Actor | null): Promise<ReactionSummary> {
  const thread = threadOf(target.thread)
  const found = await getMany([totals.key({ thread }), ...reactionKeys(target.thread, actor)], true)
  if (target.comment) return reactionsTo(target.comment, found, actor)
  const { upvotes = 0, downvotes = 0 } = itemIn(found, totals, { thread }) ?? {}
  const own = actor && itemIn(found, marks, { thread, user_id: actor.id })
  return { upvotes, downvotes, user_reaction: own?.on[SUBJECT] ?? null }
}

/** The member of `on` for the record itself. The members for comments are their numbers. */
const SUBJECT = 'subject'

export type Toggled = { action: 'created' | 'removed' | 'switched'; reaction_type: ReactionType }

export const ToggledView = s.shape('Toggled', () =>
  v.object({
    action: v.picklist(['created', 'removed', 'switched']),
    reaction_type: v.picklist(['upvote', 'downvote']),
  }),
)

/**
 * Votes on a target. The same vote again removes it, and the opposite vote replaces it. Vote and sums are one transaction. Fails
 * with `notFound` if the comment has been deleted.
 */
export async function toggleReaction(
  unit: UnitOfWork,
  target: ReactionTarget,
  actor: Actor,
  reaction_type: ReactionType,
): Promise<Toggled> {
  unit.retryOn('conflict', ATTEMPTS)
  const thread = threadOf(target.thread)
  const name = target.comment ? String(target.comment.id) : SUBJECT
  const summed = target.comment ? comment.key(target.comment) : totals.key({ thread })
  const found = await getMany([key.reactions(thread, actor.id), summed], true)
  const old = itemIn(found, marks, { thread, user_id: actor.id })
  const before = old?.on[name]
  const after = before === reaction_type ? undefined : reaction_type
  const { [name]: _, ...others } = old?.on ?? {}
  const on = after ? { ...others, [name]: after } : others
  const next = { thread, user_id: actor.id, on, version: (old?.version ?? 0) + 1 }
  const change = changeOf(before, after)
  const sums = target.comment ? commentSums(target.comment, found, change) : subjectSums(thread, found, change)
  const action = before === undefined ? 'created' : after === undefined ? 'removed' : 'switched'
  unit.add([put(marks, next, old), sums])
  return { action, reaction_type } as const
}

/** Attempts of one vote. Many people may vote on one record at the same time. */
const ATTEMPTS = 20

type VoteChange = { upvotes: number; downvotes: number }
const changeOf = (before: ReactionType | undefined, after: ReactionType | undefined): VoteChange => ({
  upvotes: Number(after === 'upvote') - Number(before === 'upvote'),
  downvotes: Number(after === 'downvote') - Number(before === 'downvote'),
})

function commentSums(read: Comment, found: ReadonlyMap<string, Stored>, by: VoteChange): Write {
  const it = itemIn(found, comment, read)
  if (!it || it.user_id === null) throw notFound()
  const sums = { upvotes: it.upvotes + by.upvotes, downvotes: it.downvotes + by.downvotes }
  return put(comment, withNextVersion<Comment>(it, sums), it)
}

function subjectSums(thread: string, found: ReadonlyMap<string, Stored>, by: VoteChange): Write {
  const old = itemIn(found, totals, { thread })
  const { upvotes = 0, downvotes = 0, version = 0 } = old ?? {}
  return put(
    totals,
    { thread, upvotes: upvotes + by.upvotes, downvotes: downvotes + by.downvotes, version: version + 1 },
    old,
  )
}
