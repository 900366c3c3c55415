import * as v from 'valibot'
import * as threads from '../../lib/comments/comments.ts'
import { CommentBody, CommentText, commentNumber } from '../../lib/comments/queries.ts'
import { commentRow } from '../../lib/comments/view.ts'
import { listBody } from '../../lib/http/page.ts'
import { BySlug } from '../../lib/http/params.ts'
import { created, noContent } from '../../lib/http/reply.ts'
import type { Request } from '../../lib/http/request.ts'
import { changeRoute, type Routes, readRoute } from '../../lib/http/route.ts'
import { living, loadProjectRemark } from '../../lib/projects/comments.ts'
import type { Project } from '../../lib/projects/items.ts'
import { load } from '../../lib/projects/projects.ts'
import type { PeopleById } from '../../lib/users/people.ts'

const CommentAddress = v.object({ ...BySlug.entries, id: commentNumber })
const projectOf = ({ slug }: { slug: string }) => load(slug)
const commentOf = ({ slug, id }: { slug: string; id: number }) => loadProjectRemark(slug, id)

const amend = changeRoute({
  permission: 'project.comment.delete',
  params: CommentAddress,
  subject: commentOf,
  body: CommentText,
  handle: async ({ subject, body, request }) => {
    const { branch, people } = await threads.show(await threads.amend(living(subject), body.comment))
    return remarkOf(subject.on.about, branch, people, request)
  },
})

/** What people say of a project, in threads. */
export const comments = {
  'GET /data/projects/{slug}/comments/': readRoute({
    permission: 'project.follow',
    params: BySlug,
    subject: projectOf,
    handle: async ({ subject: { about }, page, request }) => {
      const { people, results, ...listed } = await threads.list(threads.onProject(about.id), page)
      return listBody(request, page, { ...listed, results: results.map((it) => remarkOf(about, it, people, request)) })
    },
  }),

  'POST /data/projects/{slug}/comments/': changeRoute({
    permission: 'project.comment.create',
    params: BySlug,
    subject: projectOf,
    body: CommentBody,
    handle: async ({ subject: { about }, actor, body, request }) => {
      const { branch, people } = await threads.show(await threads.create(threads.onProject(about.id), actor, body))
      return created(remarkOf(about, branch, people, request))
    },
  }),

  'GET /data/projects/{slug}/comments/{id}/': readRoute({
    permission: 'project.follow',
    params: CommentAddress,
    subject: commentOf,
    handle: async ({ subject, request }) => {
      const { branch, people } = await threads.show(subject.said)
      return remarkOf(subject.on.about, branch, people, request)
    },
  }),

  'GET /data/projects/{slug}/comments/{id}/replies/': readRoute({
    permission: 'project.follow',
    params: CommentAddress,
    subject: commentOf,
    handle: async ({ subject, page, request }) => {
      const { people, results, ...listed } = await threads.listReplies(subject.said, page)
      const rows = results.map((it) => remarkOf(subject.on.about, it, people, request))
      return listBody(request, page, { ...listed, results: rows })
    },
  }),

  'PUT /data/projects/{slug}/comments/{id}/': amend,
  'PATCH /data/projects/{slug}/comments/{id}/': amend,

  'DELETE /data/projects/{slug}/comments/{id}/': changeRoute({
    permission: 'project.comment.delete',
    params: CommentAddress,
    subject: commentOf,
    handle: async ({ subject }) => {
      await threads.remove(living(subject))
      return noContent()
    },
  }),
} satisfies Routes

const remarkOf = (about: Project, branch: threads.Branch, people: PeopleById, request: Request) =>
  commentRow(branch, people, {
    of: { project: about.id },
    at: `${request.origin}/data/projects/${about.slug}/comments/`,
  })
