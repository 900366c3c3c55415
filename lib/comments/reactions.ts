import * as v from 'valibot'
import { notFound } from '../errors.ts'
import type { Actor } from '../permissions.ts'
import { amended, defineItem, put, type Write } from '../table/item.ts'
import { type Key, key } from '../table/keys.ts'
import { getMany, itemIn, type Stored } from '../table/read.ts'
import { retryOnConflict } from '../table/retry.ts'
import { type Comment, comment, type Thread, threadOf } from './items.ts'

/** Votes on records and on the comments in their threads: one of each person on each thing. */
export const reactionTypes = ['upvote', 'downvote'] as const
export type ReactionType = (typeof reactionTypes)[number]
const Reaction = v.picklist(reactionTypes)

/** What one person thinks of a thread's subject and of each comment in it: one item, so that a page of comments reads one more key. */
const marks = defineItem({
  type: 'reactions',
  schema: v.object({
    thread: v.string(),
    user_id: v.string(),
    on: v.record(v.string(), Reaction),
    version: v.number(),
  }),
  key: (it: { thread: string; user_id: string }) => key.reactions(it.thread, it.user_id),
})

/** How often the subject of a thread was voted for and against. A comment holds its own sums. */
const totals = defineItem({
  type: 'reaction_totals',
  schema: v.object({ thread: v.string(), upvotes: v.number(), downvotes: v.number(), version: v.number() }),
  key: (it: { thread: string }) => key.reactions(it.thread, 'TOTALS'),
})

export type ReactionSummary = { upvotes: number; downvotes: number; user_reaction: ReactionType | null }
/** What somebody reacts to: the subject of a thread, or a comment in it. */
export type ReactionTarget = { thread: Thread; comment: Comment | null }

/** The key that a reader's own reactions in a thread lie under; none for who is not signed in. */
export const reactionKeys = (thread: Thread, actor: Actor | null): Key[] =>
  actor ? [key.reactions(threadOf(thread), actor.id)] : []

/** The sums of a comment, with what the reader said of it, out of what `reactionKeys` has found. */
export function reactionsTo(it: Comment, found: ReadonlyMap<string, Stored>, actor: Actor | null): ReactionSummary {
  const own = actor && itemIn(found, marks, { thread: it.thread, user_id: actor.id })
  return { upvotes: it.upvotes, downvotes: it.downvotes, user_reaction: own?.on[it.id] ?? null }
}

/** The sums of a target with what the reader said of it. One call. */
export async function summaryOf(target: ReactionTarget, actor: Actor | null): Promise<ReactionSummary> {
  const thread = threadOf(target.thread)
  const found = await getMany([totals.key({ thread }), ...reactionKeys(target.thread, actor)], true)
  if (target.comment) return reactionsTo(target.comment, found, actor)
  const { upvotes = 0, downvotes = 0 } = itemIn(found, totals, { thread }) ?? {}
  const own = actor && itemIn(found, marks, { thread, user_id: actor.id })
  return { upvotes, downvotes, user_reaction: own?.on[SUBJECT] ?? null }
}

/** The subject of a thread among the comments of it, which are numbers. */
const SUBJECT = 'subject'

export type Toggled = { action: 'created' | 'removed' | 'switched'; reaction_type: ReactionType }

/**
 * Reacts to a target, takes the same reaction back, or turns the other one round: mark and sums in one transaction. Fails
 * with `notFound` when the comment is deleted meanwhile.
 */
export const toggle = (target: ReactionTarget, actor: Actor, reaction_type: ReactionType): Promise<Toggled> =>
  retryOnConflict(
    async () => {
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
      return { result: { action, reaction_type } as const, writes: [put(marks, next, old), sums] }
    },
    { attempts: ATTEMPTS },
  )

/** Many react to one thing at the same time; each tries so often. */
const ATTEMPTS = 20

type Change = { upvotes: number; downvotes: number }
const changeOf = (before: ReactionType | undefined, after: ReactionType | undefined): Change => ({
  upvotes: Number(after === 'upvote') - Number(before === 'upvote'),
  downvotes: Number(after === 'downvote') - Number(before === 'downvote'),
})

function commentSums(read: Comment, found: ReadonlyMap<string, Stored>, by: Change): Write {
  const it = itemIn(found, comment, read)
  if (!it || it.user_id === null) throw notFound()
  const sums = { upvotes: it.upvotes + by.upvotes, downvotes: it.downvotes + by.downvotes }
  return put(comment, amended<Comment>(it, sums), it)
}

function subjectSums(thread: string, found: ReadonlyMap<string, Stored>, by: Change): Write {
  const old = itemIn(found, totals, { thread })
  const { upvotes = 0, downvotes = 0, version = 0 } = old ?? {}
  return put(
    totals,
    { thread, upvotes: upvotes + by.upvotes, downvotes: downvotes + by.downvotes, version: version + 1 },
    old,
  )
}
