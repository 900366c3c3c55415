import * as v from 'valibot'
import { shortIdOf } from '../ids/short-id.ts'
import { audiences } from '../permissions.ts'
import { defineItem } from '../table/item.ts'
import { key, padded, placed } from '../table/keys.ts'

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
/** Whether it was not deleted. */
export const isThere = (it: Comment) => it.user_id !== null
/** The lists that a comment is in: the roots of a thread, all of it, the replies to a root, what one person said. */
export const rootList = (thread: string) => `THREAD#${thread}`
export const flatList = (thread: string) => `COMMENTS#${thread}`
export const replyList = (root: number) => `REPLIES#${root}`
export const authorList = (user: string, standing: CommentAudience) => `COMMENTER#${user}#${standing}`

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
