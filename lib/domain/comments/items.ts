import * as v from 'valibot'
import { shortIdOf } from '../../base/ids/short-id.ts'
import { type HistoryAudience, historyAudiences } from '../../base/visibility.ts'
import { defineItem, padNumber, padPlace } from '../../engines/table/index.ts'
import { key } from '../../platform/table/keys.ts'

/**
 * The item types of comments, on records and on projects. A comment that answers nothing is a root. The comments that answer it or each
 * other are its replies, oldest first. One query reads the first replies to all roots of a page.
 */

/** The subject of a thread: a record or a project. */
export type Thread = { entity_id: string; project_id: null } | { entity_id: null; project_id: string }
/** The thread of a record. */
export const onEntity = (entity_id: string): Thread => ({ entity_id, project_id: null })
/** The thread of a project. */
export const onProject = (project_id: string): Thread => ({ entity_id: null, project_id })

const Comment = v.object({
  id: v.number(),
  thread: v.string(),
  entity_id: v.nullable(v.string()),
  project_id: v.nullable(v.string()),
  /** Null, with an empty text, for a deleted comment that is kept because of its replies. */
  user_id: v.nullable(v.string()),
  comment: v.string(),
  parent: v.nullable(v.number()),
  /** The author of the comment that is answered. */
  parent_user_id: v.nullable(v.string()),
  /** The number of the root; a root has its own number here. */
  root: v.number(),
  /** The ordinal among the replies to the root; 0 for the root itself. */
  place: v.number(),
  /** Direct answers to this comment. */
  answers: v.number(),
  /** Only for a root: the replies that exist, and the replies ever written. */
  replies: v.number(),
  came: v.number(),
  /** Votes for and against it. */
  upvotes: v.optional(v.number(), 0),
  downvotes: v.optional(v.number(), 0),
  standing: v.picklist(historyAudiences),
  /** The activity that shows it in the record's history. */
  activity_id: v.nullable(v.string()),
  created_at: v.string(),
  updated_at: v.string(),
  version: v.number(),
})
export type Comment = v.InferOutput<typeof Comment>

/** The id of a comment as eleven characters. */
export const commentIdOf = (it: Pick<Comment, 'id'>): string => shortIdOf(it.id)

/** The name of a thread in keys. */
export const threadOf = ({ entity_id, project_id }: Thread) =>
  entity_id ? `ENTITY#${entity_id}` : `PROJECT#${project_id}`
/** Whether a comment is not deleted. */
export const isPresent = (it: Comment) => it.user_id !== null
/** The lists that hold a comment: roots of a thread, all of a thread, replies to a root, comments of one person. */
export const rootList = (thread: string) => `THREAD#${thread}`
export const flatList = (thread: string) => `COMMENTS#${thread}`
export const replyList = (root: number) => `REPLIES#${root}`
export const authorList = (user: string, standing: HistoryAudience) => `COMMENTER#${user}#${standing}`

export const comment = defineItem({
  type: 'comment',
  schema: Comment,
  key: (it: Pick<Comment, 'thread' | 'id' | 'root' | 'place'>) => key.comment(it.thread, it),
  indexes: (it) => ({
    ...(it.id !== it.root && { gsi4: { pk: replyList(it.root), sk: padPlace(it.place) } }),
    ...(isPresent(it) && { gsi1: { pk: flatList(it.thread), sk: padNumber(it.id) } }),
    ...(it.user_id && it.entity_id && { gsi3: { pk: authorList(it.user_id, it.standing), sk: padNumber(it.id) } }),
  }),
  counted: (it) => [
    ...(it.id === it.root ? [rootList(it.thread)] : []),
    ...(isPresent(it) ? [flatList(it.thread)] : []),
    ...(it.user_id && it.entity_id ? [authorList(it.user_id, it.standing)] : []),
  ],
})

/** Finds a comment by its number alone. */
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
