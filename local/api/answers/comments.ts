import * as v from 'valibot'
import type { routes } from '../../../functions/comments.ts'
import { type Answers, made, nothing, ok, page } from '../answer.ts'
import { EntityComment, Reactions, Remark, Toggled } from '../shapes/comment.ts'
import { text, uuid } from '../shapes/common.ts'

const comment = v.pipe(text, v.maxLength(10_000))
const Text = v.object({ comment })
const Said = v.object({ comment, parent: v.nullish(v.union([v.number(), text])) })
const SaidOf = v.object({ ...Said.entries, submission: v.exactOptional(uuid), entity_id: v.exactOptional(uuid) })

const change = { says: 'Change the text of a comment', gives: ok(EntityComment), takes: Text }
const changeFlat = { says: 'Change the text of a comment, by its number alone', gives: ok(Remark), takes: Text }
const kept = 'One that was answered keeps its place, without text and author.'

export const comments: Answers<typeof routes> = {
  'GET /data/entities/{entity_id}/comments/': {
    says: 'List the comments on a record, newest first',
    more: 'With the first replies to each; `replies_next` leads to the rest of them.',
    gives: page(EntityComment),
  },
  'POST /data/entities/{entity_id}/comments/': {
    says: 'Comment on a record, or answer a comment',
    more: '`parent` is the comment that is answered.',
    gives: made(EntityComment),
    takes: Said,
  },
  'GET /data/entities/{entity_id}/comments/{id}/': {
    says: 'Read a comment with the replies to it',
    gives: ok(EntityComment),
  },
  'GET /data/entities/{entity_id}/comments/{id}/replies/': {
    says: 'List all replies that go back to a comment, oldest first',
    more: 'Each by itself. Of a comment that is a reply, 404.',
    gives: page(EntityComment),
  },
  'PUT /data/entities/{entity_id}/comments/{id}/': change,
  'PATCH /data/entities/{entity_id}/comments/{id}/': change,
  'DELETE /data/entities/{entity_id}/comments/{id}/': { says: 'Delete a comment', more: kept, gives: nothing },
  'GET /data/comments/': {
    says: 'List the comments on a record, or those of a person',
    more: 'The first filter that is given counts. Without one, nothing is listed.',
    gives: page(Remark),
  },
  'POST /data/comments/': {
    says: 'Comment on the record that the body names',
    more: '`submission`, or `entity_id`, is the review identity of the record.',
    gives: made(Remark),
    takes: SaidOf,
    refuses: [404, 409],
  },
  'POST /data/reactions/toggle/': {
    says: 'Vote on a record or a comment, take the vote back, or turn it round',
    more: 'The same reaction again takes it back. A new one is answered with 201.',
    gives: { ...ok(Toggled), ...made(Toggled) },
    takes: v.object({
      reaction_type: v.picklist(['upvote', 'downvote']),
      entity_id: v.nullish(uuid),
      comment_id: v.nullish(v.union([v.number(), text])),
    }),
  },
  'GET /data/reactions/summary/': {
    says: 'Read how often a record or a comment was voted for and against',
    more: 'Of `entity_id` and `comment_id` one is named.',
    gives: ok(Reactions),
  },
  'GET /data/comments/{id}/': { says: 'Read a comment by its number alone', gives: ok(Remark) },
  'PUT /data/comments/{id}/': changeFlat,
  'PATCH /data/comments/{id}/': changeFlat,
  'DELETE /data/comments/{id}/': { says: 'Delete a comment, by its number alone', more: kept, gives: nothing },
}
