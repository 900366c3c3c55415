import * as v from 'valibot'
import * as s from '../../lib/base/shapes.ts'
import * as remarks from '../../lib/domain/comments/comments.ts'
import { onProject } from '../../lib/domain/comments/items.ts'
import { CommentBody, CommentText, commentNumber } from '../../lib/domain/comments/queries.ts'
import { ReactionsView } from '../../lib/domain/comments/reactions.ts'
import { type ShownThread, showInThread, showReplies, showThread } from '../../lib/domain/comments/shown.ts'
import { livingComment, loadProjectRemark } from '../../lib/domain/projects/comments.ts'
import type { Project } from '../../lib/domain/projects/items.ts'
import { loadProject } from '../../lib/domain/projects/projects.ts'
import { creation, empty, listOf, ok } from '../../lib/platform/http/answer.ts'

import { BySlug } from '../../lib/platform/http/params.ts'
import { replyCreated, replyNoContent } from '../../lib/platform/http/reply.ts'
import { changeRoute, type Routes, readRoute } from '../../lib/platform/http/route.ts'
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
    return showInThread(threadOn(subject.on.about), next, { actor, request })
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
    handle: async ({ subject: { about }, actor, page, request }) =>
      showThread(threadOn(about), { actor, page, request }),
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
      return replyCreated(await showInThread(threadOn(about), made, { actor, request }))
    },
  }),

  'GET /data/projects/{slug}/comments/{id}/': readRoute({
    permission: 'project.follow',
    summary: 'Read a comment on a project',
    answer: ok(ProjectCommentView),
    params: CommentAddress,
    subject: commentOf,
    handle: async ({ subject: { comment, on }, actor, request }) =>
      showInThread(threadOn(on.about), comment, { actor, request }),
  }),

  'GET /data/projects/{slug}/comments/{id}/replies/': readRoute({
    permission: 'project.follow',
    summary: 'List the replies to a comment on a project',
    description: 'All that go back to it, oldest first, each by itself. Of a comment that is a reply, 404.',
    answer: listOf(ProjectCommentView),
    params: CommentAddress,
    subject: commentOf,
    handle: async ({ subject: { comment, on }, actor, page, request }) =>
      showReplies(threadOn(on.about), comment, { actor, page, request }),
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

/** The thread of a project. */
const threadOn = ({ id, slug }: Project): ShownThread => ({
  thread: onProject(id),
  of: { project: id },
  at: `/data/projects/${slug}/comments/`,
})
