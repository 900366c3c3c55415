import * as v from 'valibot'
import { now } from '../clock.ts'
import { commitPlan } from '../commit.ts'
import { conflict, invalid, notFound } from '../errors.ts'
import { shortIdOf } from '../ids/short-id.ts'
import { type Actor, audiences } from '../permissions.ts'
import { amended, defineItem, parse, put, remove as removal, type Write } from '../table/item.ts'
import { EARLY, earlyKey, type Key, key, padded, placed } from '../table/keys.ts'
import { type PageRequest, type PageResult, readList } from '../table/pages.ts'
import { get, getMany, itemIn, queryBetween, type Stored, walk } from '../table/read.ts'
import type { Plan } from '../table/retry.ts'
import { add } from '../table/write.ts'
import { type PeopleById, peopleIn } from '../users/people.ts'
import { keyOf } from '../users/users.ts'

/**
 * Comments in threads, whatever a thread hangs on. A comment that answers nothing is a root; all that answer it, and
 * each other, are its replies, in the order in which they came. The first of them are stored so that one query reads
 * them together with a whole page of roots.
 */

/** What is commented on: a record, or a project. */
export type Thread = { entity_id: string; project_id: null } | { entity_id: null; project_id: string }
/** The thread of a record. */
export const onEntity = (entity_id: string): Thread => ({ entity_id, project_id: null })
/** The thread of a project. */
export const onProject = (project_id: string): Thread => ({ entity_id: null, project_id })

/** Who sees what a comment hangs on: everyone, those who are signed in, those who work on it, or staff. */
export const commentAudiences = [...audiences, 'withheld', 'deleted'] as const
export type CommentAudience = (typeof commentAudiences)[number]

const Comment = v.object({
  id: v.number(),
  thread: v.string(),
  entity_id: v.nullable(v.string()),
  project_id: v.nullable(v.string()),
  /** Null, and no text: it was deleted, and holds its place because of the replies to it. */
  user_id: v.nullable(v.string()),
  comment: v.string(),
  parent: v.nullable(v.number()),
  /** Who is answered. */
  parent_user_id: v.nullable(v.string()),
  /** The comment that all of this goes back to; of that one, its own number. */
  root: v.number(),
  /** Its ordinal among the replies to the root; 0 the root itself. */
  place: v.number(),
  /** How many answer this very comment. */
  answers: v.number(),
  /** Of a root: how many replies there are, and how many have ever come. */
  replies: v.number(),
  came: v.number(),
  /** How often it was voted for and against. */
  upvotes: v.optional(v.number(), 0),
  downvotes: v.optional(v.number(), 0),
  standing: v.picklist(commentAudiences),
  /** What the feed says of it. */
  activity_id: v.nullable(v.string()),
  created_at: v.string(),
  updated_at: v.string(),
  version: v.number(),
})
export type Comment = v.InferOutput<typeof Comment>

/** The id of a comment as eleven characters. */
export const commentIdOf = (it: Pick<Comment, 'id'>): string => shortIdOf(it.id)

/** The name of a thread. */
export const threadOf = ({ entity_id, project_id }: Thread) =>
  entity_id ? `ENTITY#${entity_id}` : `PROJECT#${project_id}`
const isThere = (it: Comment) => it.user_id !== null
const rootList = (thread: string) => `THREAD#${thread}`
const flatList = (thread: string) => `COMMENTS#${thread}`
const replyList = (root: number) => `REPLIES#${root}`
const authorList = (user: string, standing: CommentAudience) => `COMMENTER#${user}#${standing}`

export const comment = defineItem({
  type: 'comment',
  schema: Comment,
  key: (it: Pick<Comment, 'thread' | 'id' | 'root' | 'place'>) => key.comment(it.thread, it),
  indexes: (it) => ({
    ...(it.id !== it.root && { gsi4: { pk: replyList(it.root), sk: placed(it.place) } }),
    ...(isThere(it) && { gsi1: { pk: flatList(it.thread), sk: padded(it.id) } }),
    ...(it.user_id && it.entity_id && { gsi3: { pk: authorList(it.user_id, it.standing), sk: padded(it.id) } }),
  }),
  counted: (it) => [
    ...(it.id === it.root ? [rootList(it.thread)] : []),
    ...(isThere(it) ? [flatList(it.thread)] : []),
    ...(it.user_id && it.entity_id ? [authorList(it.user_id, it.standing)] : []),
  ],
})

/** Where a comment is, by its number alone. */
export const commentPlace = defineItem({
  type: 'comment_place',
  schema: v.object({
    id: v.number(),
    thread: v.string(),
    root: v.number(),
    place: v.number(),
    version: v.literal(1),
  }),
  key: ({ id }: { id: number }) => key.commentPlace(id),
})

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
