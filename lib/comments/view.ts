import { type Actor, mayInspect } from '../permissions.ts'
import type { PeopleById } from '../users/people.ts'
import { type Comment, commentIdOf } from './items.ts'
import type { Remarks } from './on-records.ts'
import type { ReactionSummary } from './reactions.ts'
import type { Branch } from './threads.ts'

/** Who wrote what is deleted: as an object, since readers look into it. */
const nobody = { id: null, username: '', email: '', first_name: '', last_name: '' }

/** How rows of a thread differ by what it hangs on. */
export type Frame = {
  /** Members of each row that name it. */
  of: Readonly<Record<string, unknown>>
  /** Where the comments of the thread are; with its last slash. */
  at: string
  /** The sums of a comment, with what the reader said of it. */
  reactions: (it: Comment) => ReactionSummary
}

/** A comment with the replies to it. Where not all that go back to it are shown, `replies_next` leads to the rest. */
export function commentRow({ comment: it, replies, shown }: Branch, people: PeopleById, frame: Frame): Row {
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
    replies: replies.map((each) => commentRow(each, people, frame)),
    reaction_summary: frame.reactions(it),
  }
}
type Row = Record<string, unknown>

/** A comment by itself, beside those on other records. Of a record that the caller may not see, nothing is told. */
export function remarkRow(
  { comment: it, about }: Remarks['results'][number],
  people: PeopleById,
  actor: Actor | null,
): Row {
  const visible = about && mayInspect(actor, about)
  const own = actor !== null && actor.id === it.user_id
  return {
    comment_id: commentIdOf(it),
    id: it.id,
    submission: visible ? it.entity_id : null,
    entity_id: visible ? it.entity_id : null,
    entity_name: visible ? about.name : '',
    user: people(it.user_id)?.username ?? '',
    comment: visible || own ? it.comment : '',
    parent: it.parent,
    created_at: it.created_at,
    updated_at: it.updated_at,
  }
}
