import * as v from 'valibot'
import { answering, creating } from '../../lib/http/answering.ts'
import { choice, members, uuidOf } from '../../lib/http/body.ts'
import { listBody, sliceOf } from '../../lib/http/page.ts'
import { BySlug, uuid } from '../../lib/http/params.ts'
import { noContent } from '../../lib/http/reply.ts'
import { changeRoute, type Routes, readRoute } from '../../lib/http/route.ts'
import type { Membership, Project } from '../../lib/projects/items.ts'
import * as people from '../../lib/projects/members.ts'
import { load } from '../../lib/projects/projects.ts'
import { membershipView } from '../../lib/projects/views/project.ts'
import { peopleOf } from '../../lib/users/people.ts'

const roles = ['editor', 'viewer', 'domain_expert'] as const
const Invitation = members({
  user_id: v.exactOptional(uuidOf()),
  username: v.exactOptional(
    v.pipe(v.string('Not a valid text.'), v.trim(), v.maxLength(100, 'There is no such user.')),
  ),
  role: v.optional(choice(roles), 'editor'),
})
const Role = members({ role: choice(roles) })
const MemberAddress = v.object({ ...BySlug.entries, id: uuid })
const subject = ({ slug }: { slug: string }) => load(slug)

const reassign = changeRoute({
  permission: 'project.contribute',
  params: MemberAddress,
  subject,
  body: Role,
  handle: ({ subject, actor, params, body }) =>
    answering(
      () => people.reassign(subject, actor, params.id, body.role),
      ({ about, result }) => viewOf(about.about, result),
    ),
})

/** Who works on a project. */
export const memberships = {
  'GET /data/projects/{slug}/memberships/': readRoute({
    permission: 'project.follow',
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
    permission: 'project.contribute',
    params: BySlug,
    subject,
    body: Invitation,
    idempotent: '24h',
    handle: ({ subject, actor, body }) =>
      creating(
        () => people.invite(subject, actor, body),
        ({ about, result }) => viewOf(about.about, result),
      ),
  }),

  'GET /data/projects/{slug}/memberships/{id}/': readRoute({
    permission: 'project.follow',
    params: MemberAddress,
    subject,
    handle: async ({ subject: { about }, params }) => viewOf(about, people.memberIn(about.memberships, params.id)),
  }),

  'PUT /data/projects/{slug}/memberships/{id}/': reassign,
  'PATCH /data/projects/{slug}/memberships/{id}/': reassign,

  'DELETE /data/projects/{slug}/memberships/{id}/': changeRoute({
    permission: 'project.contribute',
    params: MemberAddress,
    subject,
    handle: async ({ subject, actor, params }) => {
      await people.dismiss(subject, actor, params.id)
      return noContent()
    },
  }),
} satisfies Routes

const viewOf = async (about: Project, it: Membership) =>
  membershipView(about, it, await peopleOf([it.user_id, it.invited_by]))
