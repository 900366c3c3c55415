import { now } from '../../base/clock.ts'
import { conflict, invalid, notFound } from '../../base/errors.ts'
import type { HistoryAudience } from '../../base/visibility.ts'
import { addToNumber } from '../../engines/table/immediate.ts'
import type { Plan } from '../../engines/table/index.ts'
import { get, put, remove, type UnitOfWork, type Write, withNextVersion } from '../../engines/table/index.ts'

import type { Actor } from '../../platform/permissions.ts'
import { key } from '../../platform/table/keys.ts'
import { type Comment, comment, commentPlace, isPresent, type Thread, threadOf } from './items.ts'
import { loadComment, loadCommentIn } from './threads.ts'

/** Writing, changing and deleting comments. */

/** The text, and the number of the comment that it answers. */
export type CommentInput = { comment: string; parent: number | null }
/** Further writes of a comment's transaction, and its audience and activity. */
export type Also = {
  writes: readonly Write[]
  standing?: HistoryAudience
  activity_id?: string | null
}

/** Attempts of one write. Many people may comment on one record at the same time. */
const ATTEMPTS = 20

/**
 * Writes a comment in one transaction with the writes that `also` returns. After a conflict `also` is called again. Fails with
 * `invalid` if `parent` is not a comment of this thread.
 */
export async function createComment(
  unit: UnitOfWork,
  thread: Thread,
  actor: Actor,
  input: CommentInput,
  also: (at: string, attempt: number) => Promise<Also> = async () => ({ writes: [] }),
): Promise<Comment> {
  // A number that stays unused leaves a gap, which does no harm.
  const id = await addToNumber(key.sequence('comment'))
  unit.retryOn('conflict', ATTEMPTS)
  const above = input.parent === null ? undefined : await findParent(thread, input.parent)
  const at = now()
  const { writes, standing = 'withheld', activity_id = null } = await also(at, unit.attempt)
  const root =
    above && withNextVersion<Comment>(above.root, { replies: above.root.replies + 1, came: above.root.came + 1 })
  const created: Comment = {
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
  unit.add([...newComment(created), ...(above && root ? answerWrites(above, root) : []), ...writes])
  return created
}

/** The comment that is answered, and the root of its thread of replies. */
type Above = { parent: Comment; root: Comment }

async function findParent(thread: Thread, id: number): Promise<Above> {
  const parent = (await loadCommentIn(thread, id))?.comment
  if (!parent || !isPresent(parent)) throw invalid({ parent: ['There is no such comment here.'] })
  return { parent, root: parent.id === parent.root ? parent : await rootOf(parent) }
}

function answerWrites({ parent, root: old }: Above, root: Comment): Write[] {
  if (parent.id === root.id) return [put(comment, { ...root, answers: root.answers + 1 }, old)]
  return [
    put(comment, root, old),
    put(comment, withNextVersion<Comment>(parent, { answers: parent.answers + 1 }), parent),
  ]
}

/** The writes of a new comment alone, without its activity. */
export const newComment = (created: Comment): Write[] => {
  const { id, thread, root, place } = created
  return [
    put(comment, created, undefined),
    put(commentPlace, { id, thread, root, place, version: 1 as const }, undefined),
  ]
}

/** Changes the text. Fails with `notFound` if the comment is deleted, and with `conflict` if its text was changed meanwhile. */
export const amendComment = (
  unit: UnitOfWork,
  old: Comment,
  text: string,
  also: (it: Comment, attempt: number) => Promise<readonly Write[]> = async () => [],
): Promise<Comment> =>
  planOnLatest(unit, old, async (it, attempt) => {
    if (it.comment === text) return { result: it, writes: [] }
    const next = withNextVersion<Comment>(it, { comment: text, updated_at: now() })
    return { result: next, writes: [put(comment, next, it), ...(await also(it, attempt))] }
  })

/** Deletes a comment. One that has replies keeps its place, without text and author. Fails as `amendComment` does. */
export const removeComment = (
  unit: UnitOfWork,
  old: Comment,
  also: (it: Comment, attempt: number) => Promise<readonly Write[]> = async () => [],
): Promise<void> =>
  planOnLatest(unit, old, async (it, attempt) => {
    const empty = withNextVersion<Comment>(it, { comment: '', user_id: null, parent_user_id: null, updated_at: now() })
    if (it.answers > 0) unit.add([put(comment, empty, it)])
    else await addRemoval(unit, it)
    return { result: undefined, writes: await also(it, attempt) }
  })

/** Plans on the comment as it is now. Fails if its text is not the one that was read. */
async function planOnLatest<T>(
  unit: UnitOfWork,
  old: Comment,
  plan: (it: Comment, attempt: number) => Promise<Plan<T>>,
): Promise<T> {
  unit.retryOn('conflict', ATTEMPTS)
  const it = unit.attempt === 1 ? old : await get(comment, old)
  if (!it || !isPresent(it)) throw notFound()
  if (it.comment !== old.comment) throw conflict()
  return unit.addPlan(await plan(it, unit.attempt))
}

/** The most deleted comments that one removal takes away with a reply. */
const MOST_LEVELS = 40

/**
 * Removes a comment without replies. Deleted comments above it that only this reply kept are removed, too: those beyond the limit in
 * further transactions after the commit.
 */
async function addRemoval(unit: UnitOfWork, it: Comment): Promise<void> {
  const { result: emptied, writes } = await planRemoval(it)
  unit.add(writes)
  if (emptied) unit.afterCommit((own) => removeEmptied(own, emptied))
}

async function removeEmptied(unit: UnitOfWork, emptied: Comment): Promise<void> {
  unit.retryOn('conflict', ATTEMPTS)
  const it = await get(comment, emptied)
  if (it && !isPresent(it) && it.answers === 0) await addRemoval(unit, it)
}

/** The writes of a removal. The result is a deleted comment that has lost its last reply, but is beyond the limit. */
async function planRemoval(it: Comment): Promise<Plan<Comment | undefined>> {
  const writes = itemRemovals(it)
  let above = await parentOf(it)
  let removedRows = 1
  for (; above && above.parent !== null && isKeptForOneReply(above) && removedRows < MOST_LEVELS; removedRows += 1) {
    writes.push(...itemRemovals(above))
    above = await parentOf(above)
  }
  if (!above) return { result: undefined, writes }
  const answers = above.answers - 1
  if (above.parent !== null) {
    const root = await rootOf(above)
    const fewer = withNextVersion<Comment>(root, { replies: root.replies - removedRows })
    writes.push(put(comment, withNextVersion<Comment>(above, { answers }), above), put(comment, fewer, root))
    return { result: isKeptForOneReply(above) ? above : undefined, writes }
  }
  if (isKeptForOneReply(above)) return { result: undefined, writes: [...writes, ...itemRemovals(above)] }
  const replies = above.replies - removedRows
  writes.push(put(comment, withNextVersion<Comment>(above, { answers, replies }), above))
  return { result: undefined, writes }
}

const isKeptForOneReply = (it: Comment) => !isPresent(it) && it.answers === 1
const itemRemovals = (it: Comment): Write[] => {
  const { id, thread, root, place } = it
  return [remove(comment, it), remove(commentPlace, { id, thread, root, place, version: 1 as const })]
}

const parentOf = async (it: Comment): Promise<Comment | undefined> => {
  if (it.parent === null) return undefined
  const above = await loadComment(it.parent)
  // The comment above was removed a moment ago, together with this one.
  if (!above) throw conflict()
  return above
}

const rootOf = async ({ thread, root }: Comment): Promise<Comment> => {
  const it = await get(comment, { thread, id: root, root, place: 0 })
  if (!it) throw conflict()
  return it
}
