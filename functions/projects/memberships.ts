import * as v from 'valibot'
import type { Membership, Project } from '../../lib/domain/projects/items.ts'
import * as people from '../../lib/domain/projects/members.ts'
import { loadProject } from '../../lib/domain/projects/projects.ts'
import { MembershipView, membershipView } from '../../lib/domain/projects/views/project.ts'
import { creation, empty, listOf, ok } from '../../lib/platform/http/answer.ts'

import { choice, members, uuidOf } from '../../lib/platform/http/body.ts'
import { listBody, sliceOf } from '../../lib/platform/http/page.ts'
import { BySlug, uuidText } from '../../lib/platform/http/params.ts'
import { replyCreated, replyNoContent } from '../../lib/platform/http/reply.ts'
import { changeRoute, type Routes, readRoute } from '../../lib/platform/http/route.ts'
import { peopleOf } from '../../lib/platform/users/people.ts'

const roles = ['editor', 'viewer', 'domain_expert'] as const
const Invitation = members({
  user_id: v.exactOptional(uuidOf()),
  username: v.exactOptional(
    v.pipe(v.string('Not a valid text.'), v.trim(), v.maxLength(100, 'There is no such user.')),
  ),
  role: v.optional(choice(roles), 'editor'),
})
const Role = members({ role: choice(roles) })
const MemberAddress = v.object({ ...BySlug.entries, id: uuidText })
const subject = ({ slug }: { slug: string }) => loadProject(slug)

const reassign = changeRoute({
  permission: 'project.invite',
  summary: 'Give a member another role',
  description: "The owner's does not change.",
  answer: ok(MembershipView),
  params: MemberAddress,
  subject,
  body: Role,
  handle: async ({ unit, subject, actor, params, body }) => {
    const { about, result } = await people.reassignMember(unit, subject, actor, params.id, body.role)
    return viewOf(about.about, result)
  },
})

/** The members of a project. */
export const memberships = {
  'GET /data/projects/{slug}/memberships/': readRoute({
    permission: 'project.follow',
    summary: 'List who works on a project, its owner first',
    answer: listOf(MembershipView),
    params: BySlug,
    subject,
    handle: async ({ subject: { about }, page, request }) => {
      const rows = sliceOf(about.memberships, page)
      const company = await peopleOf(rows.flatMap((it) => [it.user_id, it.invited_by]))
      const results = rows.map((it) => membershipView(about, it, company))
      return listBody(request, page, { count: about.memberships.length, results })
    },
  }),

  'POST /data/projects/{slug}/memberships/': changeRoute({
    permission: 'project.invite',
    summary: 'Let someone work on a project',
    description: 'By `user_id` or `username`.',
    answer: creation(MembershipView),
    params: BySlug,
    subject,
    body: Invitation,
    idempotent: '24h',
    handle: async ({ unit, subject, actor, body }) => {
      const { about, result } = await people.inviteMember(unit, subject, actor, body)
      return replyCreated(await viewOf(about.about, result))
    },
  }),

  'GET /data/projects/{slug}/memberships/{id}/': readRoute({
    permission: 'project.follow',
    summary: 'Read a membership',
    answer: ok(MembershipView),
    params: MemberAddress,
    subject,
    handle: async ({ subject: { about }, params }) => viewOf(about, people.memberIn(about.memberships, params.id)),
  }),

  'PUT /data/projects/{slug}/memberships/{id}/': reassign,
  'PATCH /data/projects/{slug}/memberships/{id}/': reassign,

  'DELETE /data/projects/{slug}/memberships/{id}/': changeRoute({
    permission: 'project.invite',
    summary: 'End a membership',
    description: "The owner's cannot be ended.",
    answer: empty,
    params: MemberAddress,
    subject,
    handle: async ({ unit, subject, actor, params }) => {
      await people.dismissMember(unit, subject, actor, params.id)
      return replyNoContent()
    },
  }),
} satisfies Routes

const viewOf = async (about: Project, it: Membership) =>
  membershipView(about, it, await peopleOf([it.user_id, it.invited_by]))
