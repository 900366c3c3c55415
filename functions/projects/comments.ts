import * as v from 'valibot'
import * as remarks from '../../lib/comments/comments.ts'
import { type Comment, onProject } from '../../lib/comments/items.ts'
import { CommentBody, CommentText, commentNumber } from '../../lib/comments/queries.ts'
import { reactionKeys, reactionsTo } from '../../lib/comments/reactions.ts'
import * as threads from '../../lib/comments/threads.ts'
import { commentRow, type Frame } from '../../lib/comments/view.ts'
import { answering, creating } from '../../lib/http/answering.ts'
import { listBody, type PageRequest } from '../../lib/http/page.ts'
import { BySlug } from '../../lib/http/params.ts'
import { noContent } from '../../lib/http/reply.ts'
import type { Request } from '../../lib/http/request.ts'
import { changeRoute, type Routes, readRoute } from '../../lib/http/route.ts'
import type { Actor } from '../../lib/permissions.ts'
import { living, loadProjectRemark } from '../../lib/projects/comments.ts'
import type { Project } from '../../lib/projects/items.ts'
import { load } from '../../lib/projects/projects.ts'

const CommentAddress = v.object({ ...BySlug.entries, id: commentNumber })
const projectOf = ({ slug }: { slug: string }) => load(slug)
const commentOf = ({ slug, id }: { slug: string; id: number }) => loadProjectRemark(slug, id)

const amend = changeRoute({
  permission: 'project.comment.delete',
  params: CommentAddress,
  subject: commentOf,
  body: CommentText,
  handle: ({ subject, actor, body, request }) =>
    answering(
      () => remarks.amend(living(subject), body.comment),
      (next) => shownRow(subject.on.about, next, actor, request),
    ),
})

/** What people say of a project, in threads. */
export const comments = {
  'GET /data/projects/{slug}/comments/': readRoute({
    permission: 'project.follow',
    params: BySlug,
    subject: projectOf,
    handle: async ({ subject: { about }, actor, page, request }) => {
      const of = onProject(about.id)
      return pageOf(about, await threads.list(of, page, reactionKeys(of, actor)), { actor, page, request })
    },
  }),

  'POST /data/projects/{slug}/comments/': changeRoute({
    permission: 'project.comment.create',
    params: BySlug,
    subject: projectOf,
    body: CommentBody,
    idempotent: '24h',
    handle: ({ subject: { about }, actor, body, request }) =>
      creating(
        () => remarks.create(onProject(about.id), actor, body),
        (made) => shownRow(about, made, actor, request),
      ),
  }),

  'GET /data/projects/{slug}/comments/{id}/': readRoute({
    permission: 'project.follow',
    params: CommentAddress,
    subject: commentOf,
    handle: async ({ subject: { comment, on }, actor, request }) => shownRow(on.about, comment, actor, request),
  }),

  'GET /data/projects/{slug}/comments/{id}/replies/': readRoute({
    permission: 'project.follow',
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
    params: CommentAddress,
    subject: commentOf,
    handle: async ({ subject }) => {
      await remarks.remove(living(subject))
      return noContent()
    },
  }),
} satisfies Routes

type Asked = { actor: Actor | null; page: PageRequest; request: Request }

/** What rows of a project's thread have in common. */
const frameOf = (
  { id, slug }: Project,
  found: threads.Shown['found'],
  { actor, request }: Omit<Asked, 'page'>,
): Frame => ({
  of: { project: id },
  at: `${request.origin}/data/projects/${slug}/comments/`,
  reactions: (it) => reactionsTo(it, found, actor),
})

const pageOf = (about: Project, { people, results, found, ...listed }: threads.CommentPage, asked: Asked) => {
  const frame = frameOf(about, found, asked)
  return listBody(asked.request, asked.page, { ...listed, results: results.map((it) => commentRow(it, people, frame)) })
}

const shownRow = async (about: Project, it: Comment, actor: Actor | null, request: Request) => {
  const { branch, people, found } = await threads.show(it, reactionKeys(onProject(about.id), actor))
  return commentRow(branch, people, frameOf(about, found, { actor, request }))
}
