import type { HistoryAudience } from '../../base/visibility.ts'
import {
  get,
  getMany,
  itemIn,
  type Key,
  type PageRequest,
  type PageResult,
  padPlace,
  parse,
  queryBetween,
  readList,
  type Stored,
  walk,
} from '../../engines/table/index.ts'
import { EARLY_REPLIES, earlyReplyKey, key } from '../../platform/table/keys.ts'
import { type PeopleById, peopleIn } from '../../platform/users/people.ts'
import { keyOf } from '../../platform/users/users.ts'
import {
  authorList,
  type Comment,
  comment,
  commentPlace,
  flatList,
  replyList,
  rootList,
  type Thread,
  threadOf,
} from './items.ts'

/** Reading threads: pages, one comment, and the comments of one person. */

/** Loads a comment by its number, from any thread. Two calls. */
export async function loadComment(id: number): Promise<Comment | undefined> {
  const place = await get(commentPlace, { id })
  return place && get(comment, place)
}

/** Loads a comment by its number, if it belongs to this thread. Reads the items under `also` in the same two calls. */
export async function loadCommentIn(
  thread: Thread,
  id: number,
  also: readonly Key[] = [],
): Promise<{ comment: Comment; found: ReadonlyMap<string, Stored> } | undefined> {
  const place = await get(commentPlace, { id })
  if (place?.thread !== threadOf(thread)) return undefined
  const found = await getMany([comment.key(place), ...also], true)
  const it = itemIn(found, comment, place)
  return it && { comment: it, found }
}

/** A comment with its replies, oldest first. Each reply holds its own replies. */
export type Branch = {
  comment: Comment
  replies: Branch[]
  /** How many of a root's replies this page shows. */
  shown: number
}
/** Branches with their authors. `found` also holds the items that the caller asked for. */
export type CommentPage = PageResult<Branch> & { people: PeopleById; found: ReadonlyMap<string, Stored> }

/** Replies read with one page of comments. A query also ends after a megabyte. */
const MOST_REPLIES = 100

/**
 * One page of a thread, newest comment first, with the first replies to each. Calls: the comments, the replies to all of them, and the size
 * with the authors. More than a hundred authors take further calls.
 */
export async function listThread(thread: Thread, place: PageRequest, also: readonly Key[] = []): Promise<CommentPage> {
  const name = threadOf(thread)
  const partition = { pk: key.comment(name, { id: 0, root: 0, place: 0 }).pk, prefix: 'ROOT#' }
  let roots: Comment[] = []
  let replies: Comment[] = []
  const {
    items: _,
    found,
    ...listed
  } = await readList({ partitions: [partition], counted: [rootList(name)] }, place, async (items) => {
    roots = items.map((item) => parse(comment, item))
    replies = await loadEarlyReplies(partition.pk, roots)
    return [...authorsOf([...roots, ...replies]), ...also]
  })
  return { ...listed, found, results: roots.map((root) => buildBranch(root, replies)), people: peopleIn(found) }
}

/** One page of all replies to a root, oldest first, not nested. */
export async function listReplies(root: Comment, place: PageRequest, also: readonly Key[] = []): Promise<CommentPage> {
  const list = { partitions: [{ index: 'gsi4', pk: replyList(root.id) } as const], counted: [], forward: true }
  const listing = await readList(list, place, (items) => [
    ...authorsOf(items.map((item) => parse(comment, item))),
    ...also,
  ])
  const results = listing.items.map((item) => ({ comment: parse(comment, item), replies: [], shown: 0 }))
  return { ...listing, count: root.replies, results, people: peopleIn(listing.found) }
}

/** One comment with its replies. They are looked for in the next hundred replies to its root. Two calls. */
export async function showComment(it: Comment, also: readonly Key[] = []): Promise<ShownComment> {
  const query = { index: 'gsi4', pk: replyList(it.root), forward: true, limit: MOST_REPLIES } as const
  const items = it.answers === 0 ? [] : await walk({ ...query, beyond: padPlace(it.place) }, 1)
  const replies = items.map((item) => parse(comment, item))
  const found = await getMany([...authorsOf([it, ...replies]), ...also])
  return { branch: buildBranch(it, replies), people: peopleIn(found), found }
}
export type ShownComment = { branch: Branch; people: PeopleById; found: ReadonlyMap<string, Stored> }

/** All comments of a thread that are not deleted, newest first, not nested. */
export const listCommentsFlat = (
  thread: Thread,
  place: PageRequest,
  also: (found: readonly Comment[]) => readonly Key[],
) => listFlatPage([{ index: 'gsi1', pk: flatList(threadOf(thread)) }], place, also)

/** One person's comments for these audiences, newest first. */
export const listCommentsBy = (
  user: string,
  standings: readonly HistoryAudience[],
  place: PageRequest,
  also: (found: readonly Comment[]) => readonly Key[],
) =>
  listFlatPage(
    standings.map((standing) => ({ index: 'gsi3', pk: authorList(user, standing) })),
    place,
    also,
  )

async function listFlatPage(
  partitions: readonly { index: 'gsi1' | 'gsi3'; pk: string }[],
  place: PageRequest,
  also: (found: readonly Comment[]) => readonly Key[],
) {
  const counted = partitions.map(({ pk }) => pk)
  const listing = await readList({ partitions, counted }, place, (items) => {
    const rows = items.map((item) => parse(comment, item))
    return [...also(rows), ...authorsOf(rows)]
  })
  return { ...listing, items: listing.items.map((item) => parse(comment, item)) }
}

/** The first replies to the roots of a page. One call, or none if nobody replied. */
async function loadEarlyReplies(pk: string, roots: readonly Comment[]): Promise<Comment[]> {
  const answered = roots.filter((it) => it.replies > 0).map((it) => it.id)
  if (answered.length === 0) return []
  const [newest, oldest] = [Math.max(...answered), Math.min(...answered)]
  const items = await queryBetween(pk, earlyReplyKey(newest), earlyReplyKey(oldest, EARLY_REPLIES), MOST_REPLIES)
  return items.map((item) => parse(comment, item))
}

/**
 * Builds the tree of a comment from the replies to its root. A reply comes after the comment that it answers, so its parent is in the tree.
 */
function buildBranch(top: Comment, replies: readonly Comment[]): Branch {
  const branches = new Map<number | null, Branch>([[top.id, { comment: top, replies: [], shown: 0 }]])
  for (const reply of replies) {
    const above = branches.get(reply.parent)
    if (!above) continue
    const branch = { comment: reply, replies: [], shown: 0 }
    above.replies.push(branch)
    branches.set(reply.id, branch)
  }
  const whole = branches.get(top.id) ?? { comment: top, replies: [], shown: 0 }
  return { ...whole, shown: branches.size - 1 }
}

const authorsOf = (comments: readonly Comment[]): Key[] =>
  comments.flatMap(({ user_id }) => (user_id ? [keyOf(user_id)] : []))
