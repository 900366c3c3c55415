import * as v from 'valibot'
import { invalid } from '../lib/base/errors.ts'
import * as s from '../lib/base/shapes.ts'
import { type Comment, onEntity } from '../lib/domain/comments/items.ts'
import * as remarks from '../lib/domain/comments/on-records.ts'
import { CommentBody, CommentText, commentNumber } from '../lib/domain/comments/queries.ts'
import { type ShownThread, showInThread, showReplies, showThread } from '../lib/domain/comments/shown.ts'
import { EntityCommentView, RemarkView, remarkRow } from '../lib/domain/comments/view.ts'
import type { RecordItem } from '../lib/domain/records/items.ts'
import { withTables } from '../lib/doors/exports/list-tables.ts'
import { cut } from '../lib/engines/matching/index.ts'
import type { UnitOfWork } from '../lib/engines/table/index.ts'
import { creation, empty, listOf, ok } from '../lib/platform/http/answer.ts'

import { members, REQUIRED, uuidOf } from '../lib/platform/http/body.ts'
import { endpoint } from '../lib/platform/http/endpoint.ts'
import { listBody } from '../lib/platform/http/page.ts'
import { ByEntity, uuidText } from '../lib/platform/http/params.ts'
import { replyCreated, replyNoContent } from '../lib/platform/http/reply.ts'
import { actorRoute, changeRoute, listRoute, type Routes, readRoute } from '../lib/platform/http/route.ts'
import { type Actor, mayInspect } from '../lib/platform/permissions.ts'
import { peopleIn, peopleOf } from '../lib/platform/users/people.ts'
import { loadUserByUsername } from '../lib/platform/users/users.ts'
import { reactions } from './comments/reactions.ts'
import { shares } from './comments/shares.ts'

/** Bodies as the API document shows them. */
const TextShape = v.object({ comment: v.pipe(s.text, v.maxLength(10_000)) })
const CommentShape = v.object({ ...TextShape.entries, parent: v.nullish(v.union([v.number(), s.text])) })
const CommentOfShape = v.object({
  ...CommentShape.entries,
  submission: v.exactOptional(s.uuid),
  entity_id: v.exactOptional(s.uuid),
})
const ABOUT_DELETION = 'One that was answered keeps its place, without text and author.'

const Own = v.object({ id: commentNumber })
const OfEntity = v.object({ ...ByEntity.entries, id: commentNumber })
const about = v.exactOptional(uuidOf())
const SaidOf = members({ submission: about, entity_id: about, ...CommentBody.entries })

const word = v.pipe(
  v.optional(v.string(), ''),
  v.transform((it) => cut(it.trim(), 100).toLowerCase()),
)
const Filter = v.object({ submission_id: word, user_id: word, username: word })

const thread = ({ entity_id }: { entity_id: string }) => remarks.loadAbout(entity_id)
const remark = ({ entity_id, id }: { entity_id: string; id: number }) => remarks.loadRemark(entity_id, id)
const anyRemark = ({ id }: { id: number }) => remarks.loadAnyRemark(id)
/** A deleted comment cannot be changed: only its place is left, for the replies to it. */
const unlessDeleted = (found: remarks.Remark | undefined) => (found?.remark.user_id === null ? undefined : found)
const ownRemark = async (params: { entity_id: string; id: number }) => unlessDeleted(await remark(params))
const ownAnyRemark = async (params: { id: number }) => unlessDeleted(await anyRemark(params))

const changeInThread = changeRoute({
  permission: 'comment.change',
  summary: 'Change the text of a comment',
  answer: ok(EntityCommentView),
  shownBody: TextShape,
  params: OfEntity,
  subject: ownRemark,
  body: CommentText,
  handle: async ({ unit, subject, actor, body, request }) => {
    const next = await remarks.amendRemark(unit, subject, body.comment)
    return showInThread(threadOn(subject.about), next, { actor, request })
  },
})

const changeByNumber = changeRoute({
  permission: 'comment.change',
  summary: 'Change the text of a comment, by its number alone',
  answer: ok(RemarkView),
  shownBody: TextShape,
  params: Own,
  subject: ownAnyRemark,
  body: CommentText,
  handle: async ({ unit, subject, actor, body }) => {
    const next = await remarks.amendRemark(unit, subject, body.comment)
    return flatRow(next, subject.about, actor)
  },
})

const remove = async ({ unit, subject }: { unit: UnitOfWork; subject: remarks.Remark }) => {
  await remarks.removeRemark(unit, subject)
  return replyNoContent()
}

/** Comments on records, in threads and by number, votes on records and comments, and how often records were passed on. */
export const routes = withTables({
  ...reactions,
  ...shares,

  'GET /data/entities/{entity_id}/comments/': readRoute({
    permission: 'comment.read',
    summary: 'List the comments on a record, newest first',
    description: 'With the first replies to each; `replies_next` leads to the rest of them.',
    answer: listOf(EntityCommentView),
    params: ByEntity,
    subject: thread,
    handle: async ({ subject, actor, page, request }) => showThread(threadOn(subject), { actor, page, request }),
  }),

  'POST /data/entities/{entity_id}/comments/': changeRoute({
    permission: 'comment.create',
    summary: 'Comment on a record, or answer a comment',
    description: '`parent` is the comment that is answered.',
    answer: creation(EntityCommentView),
    shownBody: CommentShape,
    params: ByEntity,
    subject: thread,
    body: CommentBody,
    idempotent: '24h',
    handle: async ({ unit, subject, actor, body, request }) => {
      const comment = await remarks.createRemark(unit, subject, actor, body)
      return replyCreated(await showInThread(threadOn(subject), comment, { actor, request }))
    },
  }),

  'GET /data/entities/{entity_id}/comments/{id}/': readRoute({
    permission: 'comment.read',
    summary: 'Read a comment with the replies to it',
    answer: ok(EntityCommentView),
    params: OfEntity,
    subject: remark,
    handle: async ({ subject: { about, remark }, actor, request }) =>
      showInThread(threadOn(about), remark, { actor, request }),
  }),

  'GET /data/entities/{entity_id}/comments/{id}/replies/': readRoute({
    permission: 'comment.read',
    summary: 'List all replies that go back to a comment, oldest first',
    description: 'Each by itself. Of a comment that is a reply, 404.',
    answer: listOf(EntityCommentView),
    params: OfEntity,
    subject: remark,
    handle: async ({ subject: { about, remark }, actor, page, request }) =>
      showReplies(threadOn(about), remark, { actor, page, request }),
  }),

  'PUT /data/entities/{entity_id}/comments/{id}/': changeInThread,
  'PATCH /data/entities/{entity_id}/comments/{id}/': changeInThread,

  'DELETE /data/entities/{entity_id}/comments/{id}/': changeRoute({
    permission: 'comment.change',
    summary: 'Delete a comment',
    description: ABOUT_DELETION,
    answer: empty,
    params: OfEntity,
    subject: ownRemark,
    handle: remove,
  }),

  'GET /data/comments/': listRoute({
    permission: 'comment.list',
    summary: 'List the comments on a record, or those of a person',
    description: 'The first filter that is given counts. Without one, nothing is listed.',
    answer: listOf(RemarkView),
    query: Filter,
    handle: async ({ query, actor, page, request }) => {
      const { results, found, ...listed } = await findRemarks(query, actor, page)
      const people = peopleIn(found)
      return listBody(request, page, { ...listed, results: results.map((it) => remarkRow(it, people, actor)) })
    },
  }),

  'POST /data/comments/': actorRoute({
    permission: 'comment.add',
    summary: 'Comment on the record that the body names',
    description: '`submission`, or `entity_id`, is the review identity of the record.',
    answer: creation(RemarkView),
    shownBody: CommentOfShape,
    errors: [404, 409],
    body: SaidOf,
    idempotent: '24h',
    handle: async ({ unit, actor, body: { submission, entity_id, ...said } }) => {
      const id = entity_id ?? submission
      if (id === undefined) throw invalid({ submission: [REQUIRED] })
      const it = await remarks.loadAbout(id)
      if (!it || it.deleted_at || !mayInspect(actor, it))
        throw invalid({ [entity_id === undefined ? 'submission' : 'entity_id']: ['There is no record with this id.'] })
      const comment = await remarks.createRemark(unit, it, actor, said)
      return replyCreated(await flatRow(comment, it, actor))
    },
  }),

  'GET /data/comments/{id}/': readRoute({
    permission: 'comment.read',
    summary: 'Read a comment by its number alone',
    answer: ok(RemarkView),
    params: Own,
    subject: anyRemark,
    handle: async ({ subject, actor }) => flatRow(subject.remark, subject.about, actor),
  }),

  'PUT /data/comments/{id}/': changeByNumber,
  'PATCH /data/comments/{id}/': changeByNumber,

  'DELETE /data/comments/{id}/': changeRoute({
    permission: 'comment.change',
    summary: 'Delete a comment, by its number alone',
    description: ABOUT_DELETION,
    answer: empty,
    params: Own,
    subject: ownAnyRemark,
    handle: remove,
  }),
} satisfies Routes)

export const handler = endpoint(routes)

/** The thread of a record. */
const threadOn = ({ entity_id }: RecordItem): ShownThread => ({
  thread: onEntity(entity_id),
  of: { submission: entity_id, entity_id },
  at: `/data/entities/${entity_id}/comments/`,
})

const flatRow = async (comment: Comment, about: RecordItem, actor: Actor | null) =>
  remarkRow({ comment, about }, await peopleOf([comment.user_id]), actor)

type Wanted = v.InferOutput<typeof Filter>
type Where = Parameters<typeof remarks.listRemarksBy>[2]

async function findRemarks(it: Wanted, actor: Actor | null, place: Where): Promise<remarks.Remarks> {
  if (it.submission_id) {
    const found = v.is(uuidText, it.submission_id) ? await remarks.loadAbout(it.submission_id) : undefined
    return found && mayInspect(actor, found) ? remarks.listRemarksOn(found.entity_id, place) : remarks.noRemarks
  }
  const user = it.user_id || (it.username ? (await loadUserByUsername(it.username))?.id : undefined)
  return v.is(uuidText, user) ? remarks.listRemarksBy(user, actor, place) : remarks.noRemarks
}
