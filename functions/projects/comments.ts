import * as v from 'valibot'
import * as s from '../../lib/base/shapes.ts'
import * as remarks from '../../lib/domain/comments/comments.ts'
import { type Comment, onProject } from '../../lib/domain/comments/items.ts'
import { CommentBody, CommentText, commentNumber } from '../../lib/domain/comments/queries.ts'
import { ReactionsView, reactionKeys, reactionsTo } from '../../lib/domain/comments/reactions.ts'
import * as threads from '../../lib/domain/comments/threads.ts'
import { commentRow, type ThreadFrame } from '../../lib/domain/comments/view.ts'
import { livingComment, loadProjectRemark } from '../../lib/domain/projects/comments.ts'
import type { Project } from '../../lib/domain/projects/items.ts'
import { loadProject } from '../../lib/domain/projects/projects.ts'
import type { PageRequest } from '../../lib/engines/table/index.ts'
import { creation, empty, listOf, ok } from '../../lib/platform/http/answer.ts'

import { listBody } from '../../lib/platform/http/page.ts'
import { BySlug } from '../../lib/platform/http/params.ts'
import { replyCreated, replyNoContent } from '../../lib/platform/http/reply.ts'
import type { Request } from '../../lib/platform/http/request.ts'
import { changeRoute, type Routes, readRoute } from '../../lib/platform/http/route.ts'
import type { Actor } from '../../lib/platform/permissions.ts'
import { AuthorView } from '../../lib/platform/users/people.ts'

const CommentAddress = v.object({ ...BySlug.entries, id: commentNumber })
const projectOf = ({ slug }: { slug: string }) => loadProject(slug)
const commentOf = ({ slug, id }: { slug: string; id: number }) => loadProjectRemark(slug, id)

/** A comment with the replies to it. A deleted one has no text, and an author without id. */
const ProjectCommentView: s.Shape<v.GenericSchema> = s.shape('ProjectComment', () =>
  v.object({
    comment_id: s.text,
    id: s.whole,
    project: s.uuid,
    user: AuthorView,
    comment: s.text,
    parent: s.maybe(s.whole),
    is_deleted: v.boolean(),
    created_at: s.time,
    updated_at: s.time,
    reply_count: s.whole,
    replies_next: s.maybe(s.text),
    replies: v.array(ProjectCommentView),
    reaction_summary: ReactionsView,
  }),
)

const amend = changeRoute({
  permission: 'project.comment.delete',
  summary: 'Change the text of a comment on a project',
  description: 'A deleted comment, which only holds its place, is 404.',
  answer: ok(ProjectCommentView),
  params: CommentAddress,
  subject: commentOf,
  body: CommentText,
  handle: async ({ unit, subject, actor, body, request }) => {
    const next = await remarks.amendComment(unit, livingComment(subject), body.comment)
    return shownRow(subject.on.about, next, actor, request)
  },
})

/** Comments on a project, in threads. */
export const comments = {
  'GET /data/projects/{slug}/comments/': readRoute({
    permission: 'project.follow',
    summary: 'List the comments on a project with the replies to them',
    description: 'Where not all replies are shown, `replies_next` leads to the rest.',
    answer: listOf(ProjectCommentView),
    params: BySlug,
    subject: projectOf,
    handle: async ({ subject: { about }, actor, page, request }) => {
      const of = onProject(about.id)
      return pageOf(about, await threads.listThread(of, page, reactionKeys(of, actor)), { actor, page, request })
    },
  }),

  'POST /data/projects/{slug}/comments/': changeRoute({
    permission: 'project.comment.create',
    summary: 'Comment on a project, or answer a comment',
    answer: creation(ProjectCommentView),
    params: BySlug,
    subject: projectOf,
    body: CommentBody,
    idempotent: '24h',
    handle: async ({ unit, subject: { about }, actor, body, request }) => {
      const made = await remarks.createComment(unit, onProject(about.id), actor, body)
      return replyCreated(await shownRow(about, made, actor, request))
    },
  }),

  'GET /data/projects/{slug}/comments/{id}/': readRoute({
    permission: 'project.follow',
    summary: 'Read a comment on a project',
    answer: ok(ProjectCommentView),
    params: CommentAddress,
    subject: commentOf,
    handle: async ({ subject: { comment, on }, actor, request }) => shownRow(on.about, comment, actor, request),
  }),

  'GET /data/projects/{slug}/comments/{id}/replies/': readRoute({
    permission: 'project.follow',
    summary: 'List the replies to a comment on a project',
    answer: listOf(ProjectCommentView),
    params: CommentAddress,
    subject: commentOf,
    handle: async ({ subject: { comment, on }, actor, page, request }) => {
      const replies = await threads.listReplies(comment, page, reactionKeys(onProject(on.about.id), actor))
      return pageOf(on.about, replies, { actor, page, request })
    },
  }),

  'PUT /data/projects/{slug}/comments/{id}/': amend,
  'PATCH /data/projects/{slug}/comments/{id}/': amend,

  'DELETE /data/projects/{slug}/comments/{id}/': changeRoute({
    permission: 'project.comment.delete',
    summary: 'Delete a comment on a project',
    description: 'One that was answered keeps its place, without text and author.',
    answer: empty,
    params: CommentAddress,
    subject: commentOf,
    handle: async ({ unit, subject }) => {
      await remarks.removeComment(unit, livingComment(subject))
      return replyNoContent()
    },
  }),
} satisfies Routes

type Asked = { actor: Actor | null; page: PageRequest; request: Request }

/** The parts that all rows of a project's thread share. */
const frameOf = (
  { id, slug }: Project,
  found: threads.ShownComment['found'],
  { actor, request }: Omit<Asked, 'page'>,
): ThreadFrame => ({
  of: { project: id },
  at: `${request.origin}/data/projects/${slug}/comments/`,
  reactions: (it) => reactionsTo(it, found, actor),
})

const pageOf = (about: Project, { people, results, found, ...listed }: threads.CommentPage, asked: Asked) => {
  const frame = frameOf(about, found, asked)
  return listBody(asked.request, asked.page, { ...listed, results: results.map((it) => commentRow(it, people, frame)) })
}

const shownRow = async (about: Project, it: Comment, actor: Actor | null, request: Request) => {
  const { branch, people, found } = await threads.showComment(it, reactionKeys(onProject(about.id), actor))
  return commentRow(branch, people, frameOf(about, found, { actor, request }))
}
