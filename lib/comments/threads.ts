import { parse } from '../table/item.ts'
import { EARLY, earlyKey, type Key, key, placed } from '../table/keys.ts'
import { type PageRequest, type PageResult, readList } from '../table/pages.ts'
import { get, getMany, itemIn, queryBetween, type Stored, walk } from '../table/read.ts'
import { type PeopleById, peopleIn } from '../users/people.ts'
import { keyOf } from '../users/users.ts'
import {
  authorList,
  type Comment,
  type CommentAudience,
  comment,
  commentPlace,
  flatList,
  replyList,
  rootList,
  type Thread,
  threadOf,
} from './items.ts'

/** Threads as they are read: pages of them, one comment, and what one person said. */

/** A comment by its number, in whatever thread. Two calls. */
export async function load(id: number): Promise<Comment | undefined> {
  const place = await get(commentPlace, { id })
  return place && get(comment, place)
}

/** A comment of this thread by its number; one of another thread is none. With items under `also`, in two calls. */
export async function loadIn(
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

/** A comment with the replies to it, oldest first, each with those to it. */
export type Branch = {
  comment: Comment
  replies: Branch[]
  /** How many of all the replies to a root are shown here. */
  shown: number
}
/** Branches with their authors, and whatever else was read with them. */
export type CommentPage = PageResult<Branch> & { people: PeopleById; found: ReadonlyMap<string, Stored> }

/** At most this many replies, and a megabyte of them, are read with a page of comments. */
const MOST_REPLIES = 100

/**
 * One page of a thread, newest comment first, with the first replies to each: a call for the comments, one for the
 * replies of all of them together, and one for the size and the people.
 */
export async function list(thread: Thread, place: PageRequest, also: readonly Key[] = []): Promise<CommentPage> {
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
    replies = await earlyReplies(partition.pk, roots)
    return [...authorsOf([...roots, ...replies]), ...also]
  })
  return { ...listed, found, results: roots.map((root) => grown(root, replies)), people: peopleIn(found) }
}

/** One page of all replies that go back to a root, oldest first, each by itself. */
export async function listReplies(root: Comment, place: PageRequest, also: readonly Key[] = []): Promise<CommentPage> {
  const list = { partitions: [{ index: 'gsi4', pk: replyList(root.id) } as const], counted: [], forward: true }
  const listing = await readList(list, place, (items) => [
    ...authorsOf(items.map((item) => parse(comment, item))),
    ...also,
  ])
  const results = listing.items.map((item) => ({ comment: parse(comment, item), replies: [], shown: 0 }))
  return { ...listing, count: root.replies, results, people: peopleIn(listing.found) }
}

/** One comment with the replies to it, among the next hundred that go back to its root. Two calls. */
export async function show(it: Comment, also: readonly Key[] = []): Promise<Shown> {
  const query = { index: 'gsi4', pk: replyList(it.root), forward: true, limit: MOST_REPLIES } as const
  const items = it.answers === 0 ? [] : await walk({ ...query, beyond: placed(it.place) }, 1)
  const replies = items.map((item) => parse(comment, item))
  const found = await getMany([...authorsOf([it, ...replies]), ...also])
  return { branch: grown(it, replies), people: peopleIn(found), found }
}
export type Shown = { branch: Branch; people: PeopleById; found: ReadonlyMap<string, Stored> }

/** The comments and replies of a thread that are still there, newest first, each by itself. */
export const listFlat = (thread: Thread, place: PageRequest, also: (found: readonly Comment[]) => readonly Key[]) =>
  flat([{ index: 'gsi1', pk: flatList(threadOf(thread)) }], place, also)

/** One person's comments on records of these standings, newest first. */
export const listBy = (
  user: string,
  standings: readonly CommentAudience[],
  place: PageRequest,
  also: (found: readonly Comment[]) => readonly Key[],
) =>
  flat(
    standings.map((standing) => ({ index: 'gsi3', pk: authorList(user, standing) })),
    place,
    also,
  )

async function flat(
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

/** The first replies to the roots of a page, in one call; none when nobody answered. */
async function earlyReplies(pk: string, roots: readonly Comment[]): Promise<Comment[]> {
  const answered = roots.filter((it) => it.replies > 0).map((it) => it.id)
  if (answered.length === 0) return []
  const [newest, oldest] = [Math.max(...answered), Math.min(...answered)]
  const items = await queryBetween(pk, earlyKey(newest), earlyKey(oldest, EARLY), MOST_REPLIES)
  return items.map((item) => parse(comment, item))
}

/** A comment with those of the replies that go back to it. A reply comes after what it answers, so none hangs in the air. */
function grown(top: Comment, replies: readonly Comment[]): Branch {
  const branches = new Map<number | null, Branch>([[top.id, { comment: top, replies: [], shown: 0 }]])
  for (const it of replies) {
    const above = branches.get(it.parent)
    if (!above) continue
    const branch = { comment: it, replies: [], shown: 0 }
    above.replies.push(branch)
    branches.set(it.id, branch)
  }
  const whole = branches.get(top.id) ?? { comment: top, replies: [], shown: 0 }
  return { ...whole, shown: branches.size - 1 }
}

const authorsOf = (them: readonly Comment[]): Key[] => them.flatMap(({ user_id }) => (user_id ? [keyOf(user_id)] : []))
