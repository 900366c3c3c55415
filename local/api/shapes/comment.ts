import * as v from 'valibot'
import { Author, maybe, text, time, uuid, whole } from './common.ts'

/** What people say of records. */

/** How often something was voted for and against, and what the reader said of it. */
export const Reactions = v.object({
  upvotes: whole,
  downvotes: whole,
  user_reaction: maybe(v.picklist(['upvote', 'downvote'])),
})
export const Toggled = v.object({
  action: v.picklist(['created', 'removed', 'switched']),
  reaction_type: v.picklist(['upvote', 'downvote']),
})

/** A comment on a record with the replies to it, which are comments themselves. */
export const EntityComment: v.GenericSchema = v.object({
  comment_id: text,
  id: whole,
  submission: uuid,
  entity_id: uuid,
  user: maybe(Author),
  comment: text,
  parent: maybe(whole),
  is_deleted: v.boolean(),
  created_at: time,
  updated_at: time,
  reply_count: whole,
  replies_next: maybe(text),
  replies: v.array(v.lazy(() => EntityComment)),
  reaction_summary: Reactions,
})

/** A comment by itself. Of a record that the caller may not see, nothing is told. */
export const Remark = v.object({
  comment_id: text,
  id: whole,
  submission: maybe(uuid),
  entity_id: maybe(uuid),
  entity_name: text,
  user: text,
  comment: text,
  parent: maybe(whole),
  created_at: time,
  updated_at: time,
})
