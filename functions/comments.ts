import * as v from 'valibot'
import { type Comment, onEntity } from '../lib/comments/items.ts'
import * as remarks from '../lib/comments/on-records.ts'
import { CommentBody, CommentText, commentNumber } from '../lib/comments/queries.ts'
import { reactionKeys, reactionsTo } from '../lib/comments/reactions.ts'
import { type CommentPage, list, listReplies, type Shown, show } from '../lib/comments/threads.ts'
import { commentRow, type Frame, remarkRow } from '../lib/comments/view.ts'
import { invalid, notFound } from '../lib/errors.ts'
import { withTables } from '../lib/exports/list-tables.ts'
import { answering, creating } from '../lib/http/answering.ts'
import { members, REQUIRED, uuidOf } from '../lib/http/body.ts'
import { endpoint } from '../lib/http/endpoint.ts'
import { listBody, type PageRequest } from '../lib/http/page.ts'
import { ByEntity, uuid } from '../lib/http/params.ts'
import { noContent } from '../lib/http/reply.ts'
import type { Request } from '../lib/http/request.ts'
import { actorRoute, changeRoute, listRoute, type Routes, readRoute } from '../lib/http/route.ts'
import { cut } from '../lib/matching/cut.ts'
import { type Actor, mayInspect } from '../lib/permissions.ts'
import type { RecordItem } from '../lib/records/items.ts'
import { peopleIn, peopleOf } from '../lib/users/people.ts'
import { loadByUsername } from '../lib/users/users.ts'
import { reactions } from './comments/reactions.ts'

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
/** What is deleted cannot be changed: it is only a place. */
const living = (it: remarks.Remark | undefined) => (it?.remark.user_id === null ? undefined : it)
const ownRemark = async (params: { entity_id: string; id: number }) => living(await remark(params))
const ownAnyRemark = async (params: { id: number }) => living(await anyRemark(params))

const changeIn = changeRoute({
  permission: 'comment.change',
  params: OfEntity,
  subject: ownRemark,
  body: CommentText,
  handle: ({ subject, actor, body, request }) =>
    answering(
      () => remarks.amend(subject, body.comment),
      (next) => shownRow(subject.about, next, actor, request),
    ),
})

const changeFlat = changeRoute({
  permission: 'comment.change',
  params: Own,
  subject: ownAnyRemark,
  body: CommentText,
  handle: ({ subject, actor, body }) =>
    answering(
      () => remarks.amend(subject, body.comment),
      (next) => flatRow(next, subject.about, actor),
    ),
})

const remove = async ({ subject }: { subject: remarks.Remark }) => {
  await remarks.remove(subject)
  return noContent()
}

/** What people say of records: in threads, and one by one; and what they think of both. */
export const routes = withTables({
  ...reactions,

  'GET /data/entities/{entity_id}/comments/': readRoute({
    permission: 'comment.read',
    params: ByEntity,
    subject: thread,
    handle: async ({ subject, actor, page, request }) => {
      const of = onEntity(subject.entity_id)
      return pageOf(subject, await list(of, page, reactionKeys(of, actor)), { actor, page, request })
    },
  }),

  'POST /data/entities/{entity_id}/comments/': changeRoute({
    permission: 'comment.create',
    params: ByEntity,
    subject: thread,
    body: CommentBody,
    idempotent: '24h',
    handle: ({ subject, actor, body, request }) =>
      creating(
        () => remarks.create(subject, actor, body),
        (made) => shownRow(subject, made, actor, request),
      ),
  }),

  'GET /data/entities/{entity_id}/comments/{id}/': readRoute({
    permission: 'comment.read',
    params: OfEntity,
    subject: remark,
    handle: async ({ subject, actor, request }) => shownRow(subject.about, subject.remark, actor, request),
  }),

  // Of a comment that is a reply itself: the replies to what it goes back to.
  'GET /data/entities/{entity_id}/comments/{id}/replies/': readRoute({
    permission: 'comment.read',
    params: OfEntity,
    subject: remark,
    handle: async ({ subject: { about, remark }, actor, page, request }) => {
      if (remark.parent !== null) throw notFound()
      const replies = await listReplies(remark, page, reactionKeys(onEntity(about.entity_id), actor))
      return pageOf(about, replies, { actor, page, request })
    },
  }),

  'PUT /data/entities/{entity_id}/comments/{id}/': changeIn,
  'PATCH /data/entities/{entity_id}/comments/{id}/': changeIn,

  'DELETE /data/entities/{entity_id}/comments/{id}/': changeRoute({
    permission: 'comment.change',
    params: OfEntity,
    subject: ownRemark,
    handle: remove,
  }),

  // The first filter that is given counts; without one there is nothing to list.
  'GET /data/comments/': listRoute({
    permission: 'comment.list',
    query: Filter,
    handle: async ({ query, actor, page, request }) => {
      const { results, found, ...listed } = await chosen(query, actor, page)
      const people = peopleIn(found)
      return listBody(request, page, { ...listed, results: results.map((it) => remarkRow(it, people, actor)) })
    },
  }),

  'POST /data/comments/': actorRoute({
    permission: 'comment.add',
    body: SaidOf,
    idempotent: '24h',
    handle: async ({ actor, body: { submission, entity_id = submission, ...said } }) => {
      if (entity_id === undefined) throw invalid({ submission: [REQUIRED] })
      const it = await remarks.loadAbout(entity_id)
      if (!it || it.deleted_at || !mayInspect(actor, it))
        throw invalid({ submission: ['There is no record with this id.'] })
      return creating(
        () => remarks.create(it, actor, said),
        (made) => flatRow(made, it, actor),
      )
    },
  }),

  'GET /data/comments/{id}/': readRoute({
    permission: 'comment.read',
    params: Own,
    subject: anyRemark,
    handle: async ({ subject, actor }) => flatRow(subject.remark, subject.about, actor),
  }),

  'PUT /data/comments/{id}/': changeFlat,
  'PATCH /data/comments/{id}/': changeFlat,

  'DELETE /data/comments/{id}/': changeRoute({
    permission: 'comment.change',
    params: Own,
    subject: ownAnyRemark,
    handle: remove,
  }),
} satisfies Routes)

export const handler = endpoint(routes)

type Asked = { actor: Actor | null; page: PageRequest; request: Request }

/** What rows of a record's thread have in common. */
const frameOf = ({ entity_id }: RecordItem, found: Shown['found'], { actor, request }: Omit<Asked, 'page'>): Frame => ({
  of: { submission: entity_id, entity_id },
  at: `${request.origin}/data/entities/${entity_id}/comments/`,
  reactions: (it) => reactionsTo(it, found, actor),
})

const pageOf = (about: RecordItem, { people, results, found, ...listed }: CommentPage, asked: Asked) => {
  const frame = frameOf(about, found, asked)
  return listBody(asked.request, asked.page, { ...listed, results: results.map((it) => commentRow(it, people, frame)) })
}

const shownRow = async (about: RecordItem, it: Comment, actor: Actor | null, request: Request) => {
  const { branch, people, found } = await show(it, reactionKeys(onEntity(about.entity_id), actor))
  return commentRow(branch, people, frameOf(about, found, { actor, request }))
}

const flatRow = async (comment: Comment, about: RecordItem, actor: Actor | null) =>
  remarkRow({ comment, about }, await peopleOf([comment.user_id]), actor)

type Wanted = v.InferOutput<typeof Filter>
type Where = Parameters<typeof remarks.listOf>[2]

async function chosen(it: Wanted, actor: Actor | null, place: Where): Promise<remarks.Remarks> {
  if (it.submission_id) {
    const found = v.is(uuid, it.submission_id) ? await remarks.loadAbout(it.submission_id) : undefined
    return found && mayInspect(actor, found) ? remarks.listOn(found.entity_id, place) : remarks.nothing
  }
  const user = it.user_id || (it.username ? (await loadByUsername(it.username))?.id : undefined)
  return v.is(uuid, user) ? remarks.listOf(user, actor, place) : remarks.nothing
}
