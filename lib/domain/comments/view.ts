import * as v from 'valibot'
import * as s from '../../base/shapes.ts'
import { type Actor, mayInspect } from '../../platform/permissions.ts'
import { AuthorView, type PeopleById } from '../../platform/users/people.ts'
import { type Comment, commentIdOf } from './items.ts'
import type { Remarks } from './on-records.ts'
import { type ReactionSummary, ReactionsView } from './reactions.ts'
import type { Branch } from './threads.ts'

/** The author of a deleted comment. It is an object, because clients read its members. */
const nobody = { id: null, username: '', email: '', first_name: '', last_name: '' }

/** The parts of a row that differ between threads of records and threads of projects. */
export type ThreadFrame = {
  /** Members of each row that name the record or project. */
  of: Readonly<Record<string, unknown>>
  /** The path of the thread's comments, with the last slash. */
  at: string
  /** The votes on a comment, with the reader's own one. */
  reactions: (it: Comment) => ReactionSummary
}

/** A comment on a record; its replies have the same shape. */
export const EntityCommentView: s.Shape<v.GenericSchema> = s.shape('EntityComment', () =>
  v.object({
    comment_id: s.text,
    id: s.whole,
    submission: s.uuid,
    entity_id: s.uuid,
    user: s.maybe(AuthorView),
    comment: s.text,
    parent: s.maybe(s.whole),
    is_deleted: v.boolean(),
    created_at: s.time,
    updated_at: s.time,
    reply_count: s.whole,
    replies_next: s.maybe(s.text),
    replies: v.array(EntityCommentView),
    reaction_summary: ReactionsView,
  }),
)

/** A comment with its replies. If some replies to a root are not on this page, `replies_next` leads to them. */
export function commentRow({ comment: it, replies, shown }: Branch, people: PeopleById, frame: ThreadFrame): Row {
  const isRoot = it.id === it.root
  return {
    comment_id: commentIdOf(it),
    id: it.id,
    ...frame.of,
    user: it.user_id === null ? nobody : people(it.user_id),
    comment: it.comment,
    parent: it.parent,
    is_deleted: it.user_id === null,
    created_at: it.created_at,
    updated_at: it.updated_at,
    reply_count: isRoot ? it.replies : it.answers,
    replies_next: isRoot && shown < it.replies ? `${frame.at}${it.id}/replies/?offset=${shown}` : null,
    replies: replies.map((reply) => commentRow(reply, people, frame)),
    reaction_summary: frame.reactions(it),
  }
}
export type Row = Record<string, unknown>

export const RemarkView = s.shape('Remark', () =>
  v.object({
    comment_id: s.text,
    id: s.whole,
    submission: s.maybe(s.uuid),
    entity_id: s.maybe(s.uuid),
    entity_name: s.text,
    user: s.text,
    comment: s.text,
    parent: s.maybe(s.whole),
    created_at: s.time,
    updated_at: s.time,
  }),
)

/** A comment outside its thread. It shows nothing of a record that the caller may not see. */
export function remarkRow(
  { comment: it, about }: Remarks['results'][number],
  people: PeopleById,
  actor: Actor | null,
): s.Output<typeof RemarkView> {
  const visible = about && mayInspect(actor, about)
  const isOwn = actor !== null && actor.id === it.user_id
  return {
    comment_id: commentIdOf(it),
    id: it.id,
    submission: visible ? it.entity_id : null,
    entity_id: visible ? it.entity_id : null,
    entity_name: visible ? about.name : '',
    user: people(it.user_id)?.username ?? '',
    comment: visible || isOwn ? it.comment : '',
    parent: it.parent,
    created_at: it.created_at,
    updated_at: it.updated_at,
  }
}
