import { now } from '../clock.ts'
import { commitPlan } from '../commit.ts'
import { conflict, invalid, notFound } from '../errors.ts'
import type { Actor } from '../permissions.ts'
import { amended, put, remove as removal, type Write } from '../table/item.ts'
import { key } from '../table/keys.ts'
import { get } from '../table/read.ts'
import type { Plan } from '../table/retry.ts'
import { add } from '../table/write.ts'
import { type Comment, type CommentAudience, comment, commentPlace, isThere, type Thread, threadOf } from './items.ts'
import { load, loadIn } from './threads.ts'

/** What people do with comments: they write, change and delete them. */

/** What is said, and to which comment. */
export type CommentInput = { comment: string; parent: number | null }
/** What else is written with a comment, and what it is to remember of that. */
export type Also = {
  writes: readonly Write[]
  standing?: CommentAudience
  activity_id?: string | null
}

/** Many comment on one thing at the same time; each tries so often. */
const ATTEMPTS = 20

/**
 * Writes a comment and what goes with it, in one transaction. `also` is asked again when others were faster. Fails with
 * `invalid` when it answers no comment of this thread.
 */
export async function create(
  thread: Thread,
  actor: Actor,
  input: CommentInput,
  also: (at: string, attempt: number) => Promise<Also> = async () => ({ writes: [] }),
): Promise<Comment> {
  // A number that ends up unused leaves a gap and does no harm.
  const id = await add(key.sequence('comment'))
  return commitPlan(async (attempt) => {
    const above = input.parent === null ? undefined : await answered(thread, input.parent)
    const at = now()
    const { writes, standing = 'withheld', activity_id = null } = await also(at, attempt)
    const root = above && amended<Comment>(above.root, { replies: above.root.replies + 1, came: above.root.came + 1 })
    const made: Comment = {
      id,
      thread: threadOf(thread),
      ...thread,
      user_id: actor.id,
      comment: input.comment,
      parent: input.parent,
      parent_user_id: above?.parent.user_id ?? null,
      root: root?.id ?? id,
      place: root?.came ?? 0,
      answers: 0,
      replies: 0,
      came: 0,
      upvotes: 0,
      downvotes: 0,
      standing,
      activity_id,
      created_at: at,
      updated_at: at,
      version: 1,
    }
    return { result: made, writes: [...newComment(made), ...(above && root ? answering(above, root) : []), ...writes] }
  }, ATTEMPTS)
}

/** The comment that is answered, and the root that it goes back to. */
type Above = { parent: Comment; root: Comment }

async function answered(thread: Thread, id: number): Promise<Above> {
  const parent = (await loadIn(thread, id))?.comment
  if (!parent || !isThere(parent)) throw invalid({ parent: ['There is no such comment here.'] })
  return { parent, root: parent.id === parent.root ? parent : await rootOf(parent) }
}

function answering({ parent, root: old }: Above, root: Comment): Write[] {
  if (parent.id === root.id) return [put(comment, { ...root, answers: root.answers + 1 }, old)]
  return [put(comment, root, old), put(comment, amended<Comment>(parent, { answers: parent.answers + 1 }), parent)]
}

/** The writes of a new comment by itself. */
export const newComment = (made: Comment): Write[] => {
  const { id, thread, root, place } = made
  return [put(comment, made, undefined), put(commentPlace, { id, thread, root, place, version: 1 as const }, undefined)]
}

/** Changes the text. Fails with `notFound` when the comment is deleted, with `conflict` when its text was changed meanwhile. */
export const amend = (
  old: Comment,
  text: string,
  also: (it: Comment, attempt: number) => Promise<readonly Write[]> = async () => [],
): Promise<Comment> =>
  onLatest(old, async (it, attempt) => {
    if (it.comment === text) return { result: it, writes: [] }
    const next = amended<Comment>(it, { comment: text, updated_at: now() })
    return { result: next, writes: [put(comment, next, it), ...(await also(it, attempt))] }
  })

/** Deletes a comment: one that was answered keeps its place, without text and author. Fails as `amend` does. */
export const remove = (
  old: Comment,
  also: (it: Comment, attempt: number) => Promise<readonly Write[]> = async () => [],
): Promise<void> =>
  onLatest(old, async (it, attempt) => {
    const empty = amended<Comment>(it, { comment: '', user_id: null, parent_user_id: null, updated_at: now() })
    const writes = it.answers > 0 ? [put(comment, empty, it)] : await withdrawn(it)
    return { result: undefined, writes: [...writes, ...(await also(it, attempt))] }
  })

/** The comment as it is now, as long as it says what was read. */
function onLatest<T>(old: Comment, plan: (it: Comment, attempt: number) => Promise<Plan<T>>): Promise<T> {
  return commitPlan(async (attempt) => {
    const it = attempt === 1 ? old : await get(comment, old)
    if (!it || !isThere(it)) throw notFound()
    if (it.comment !== old.comment) throw conflict()
    return plan(it, attempt)
  }, ATTEMPTS)
}

/** At most this many places that are held for nothing any more are given up at a time. */
const MOST_LEVELS = 40

/** Takes away a comment that nobody answers, and the deleted ones that held their places for it alone. */
async function withdrawn(it: Comment): Promise<Write[]> {
  const writes = removed(it)
  let above = await parentOf(it)
  let removedRows = 1
  for (; above && above.parent !== null && holdsFor(above) && removedRows < MOST_LEVELS; removedRows += 1) {
    writes.push(...removed(above))
    above = await parentOf(above)
  }
  if (!above) return writes
  const answers = above.answers - 1
  if (above.parent !== null) {
    const root = await rootOf(above)
    const fewer = amended<Comment>(root, { replies: root.replies - removedRows })
    return [...writes, put(comment, amended<Comment>(above, { answers }), above), put(comment, fewer, root)]
  }
  if (holdsFor(above)) return [...writes, ...removed(above)]
  return [...writes, put(comment, amended<Comment>(above, { answers, replies: above.replies - removedRows }), above)]
}

const holdsFor = (it: Comment) => !isThere(it) && it.answers === 1
const removed = (it: Comment): Write[] => {
  const { id, thread, root, place } = it
  return [removal(comment, it), removal(commentPlace, { id, thread, root, place, version: 1 as const })]
}

const parentOf = async (it: Comment): Promise<Comment | undefined> => {
  if (it.parent === null) return undefined
  const above = await load(it.parent)
  // It went in this very moment, with this comment.
  if (!above) throw conflict()
  return above
}

const rootOf = async ({ thread, root }: Comment): Promise<Comment> => {
  const it = await get(comment, { thread, id: root, root, place: 0 })
  if (!it) throw conflict()
  return it
}
