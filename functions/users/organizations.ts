import * as v from 'valibot'
import { memberRoles, type OrganizationSubject } from '../../lib/domain/organizations/items.ts'
import { listOrganizations, orders, searchOrganizations } from '../../lib/domain/organizations/list.ts'
import {
  amendMembership,
  endMembership,
  joinOrganization,
  listMembers,
  listOrganizationsOf,
} from '../../lib/domain/organizations/members.ts'
import {
  amendOrganization,
  createOrganization,
  deleteOrganization,
  loadOrganization,
} from '../../lib/domain/organizations/organizations.ts'
import {
  memberRow,
  OrganizationDetailView,
  OrganizationMemberView,
  OrganizationView,
  organizationRow,
} from '../../lib/domain/organizations/view.ts'
import { fold } from '../../lib/engines/matching/index.ts'
import { getMany, type PageRequest } from '../../lib/engines/table/index.ts'
import { creation, DetailView, empty, listOf, ok } from '../../lib/platform/http/answer.ts'
import {
  choice,
  line,
  lines,
  members,
  optional,
  orEmpty,
  prose,
  REQUIRED,
  webAddress,
} from '../../lib/platform/http/body.ts'
import { listBody } from '../../lib/platform/http/page.ts'
import { ById, QueryText, queryChoice, uuidText } from '../../lib/platform/http/params.ts'
import { Reply, replyCreated, replyNoContent } from '../../lib/platform/http/reply.ts'
import type { Request } from '../../lib/platform/http/request.ts'
import { actorRoute, changeRoute, publicRoute, type Routes, readRoute } from '../../lib/platform/http/route.ts'
import type { Actor } from '../../lib/platform/permissions.ts'
import { peopleIn, peopleOf } from '../../lib/platform/users/people.ts'
import { keyOf } from '../../lib/platform/users/users.ts'

const LETTERS = 'Give a name with letters or digits.'
const name = v.pipe(
  v.string(REQUIRED),
  line(255),
  v.trim(),
  v.check((text) => fold(text) !== '', LETTERS),
)
const focusAreas = v.pipe(
  v.array(v.pipe(v.string('Not a valid text.'), line(100), v.trim()), 'Give a list of texts.'),
  v.maxLength(20, 'Give no more than 20 of them.'),
)
const NewOrganization = members({
  name,
  short_name: orEmpty(line(50)),
  description: prose(3000),
  logo: orEmpty(webAddress(500)),
  website: orEmpty(webAddress(500)),
  country: orEmpty(line(100)),
  focus_areas: v.optional(focusAreas, []),
})
const Changes = members({
  name: v.exactOptional(name),
  short_name: optional(line(50)),
  description: optional(lines(3000)),
  logo: optional(webAddress(500)),
  website: optional(webAddress(500)),
  country: optional(line(100)),
  focus_areas: v.exactOptional(focusAreas),
  is_verified: v.exactOptional(v.boolean('Give true or false.')),
})
const Role = members({
  role: v.exactOptional(choice(memberRoles)),
  confirmed: v.exactOptional(v.boolean('Give true or false.')),
  owner: v.exactOptional(v.literal(true, 'Give true, or leave it out.')),
})
const OfMember = v.object({ id: uuidText, user_id: uuidText })
const Query = v.object({
  search: QueryText,
  ordering: queryChoice(['name', '-name', 'created_at', '-created_at']),
})

/** The members on a page. Their users are read with them, so a page is smaller than others. */
const MEMBERS = 50

const subject = ({ id }: { id: string }) => loadOrganization(id)

const change = changeRoute({
  permission: 'organization.change',
  summary: 'Change an organization',
  description:
    'Only the members that are sent change. Staff alone change `is_verified`; a new name by anybody else has to be verified again.',
  answer: ok(OrganizationDetailView),
  errors: [409],
  params: ById,
  subject,
  body: Changes,
  handle: async ({ unit, subject, actor, body, request }) => {
    const about = amendOrganization(unit, subject, actor, body)
    return detailOf({ ...subject, about }, { actor, request, page: { limit: MEMBERS, offset: 0 } })
  },
})

/** Organizations, and who is in them. */
export const organizations = {
  'GET /data/organizations/': publicRoute({
    permission: 'organization.list',
    summary: 'List the organizations, by name',
    answer: listOf(OrganizationView),
    query: Query,
    handle: async ({ query: { search, ordering }, page, request }) => {
      const by = orders.find((order) => ordering.endsWith(order)) ?? 'name'
      const order = { by, forward: !ordering.startsWith('-') }
      const { results, people, ...listed } = search
        ? await searchOrganizations(search, order, page)
        : await listOrganizations(order, page)
      return listBody(request, page, { ...listed, results: results.map((it) => organizationRow(it, people)) })
    },
  }),

  'POST /data/organizations/': actorRoute({
    permission: 'organization.create',
    summary: 'Found an organization',
    description: 'The caller becomes its owner. Names that differ in spelling alone are one name.',
    answer: creation(OrganizationDetailView),
    errors: [409],
    body: NewOrganization,
    throttles: [
      { scope: 'organizations', rate: { limit: 200, seconds: 86_400 }, per: 'caller', counts: 'every success' },
    ],
    idempotent: '24h',
    handle: async ({ unit, actor, body, request }) => {
      const it = createOrganization(unit, actor, body)
      const found = await getMany([keyOf(actor.id)])
      const owner = { organization_id: it.id, user_id: actor.id, role: 'admin', confirmed: true } as const
      return replyCreated({
        ...organizationRow(it, peopleIn(found)),
        updated_at: it.updated_at,
        members: [
          memberRow({ ...owner, joined_at: it.created_at, version: 1 }, found, {
            of: it,
            actor,
            origin: request.origin,
          }),
        ],
        members_next: null,
      })
    },
  }),

  'GET /data/organizations/my_organizations/': actorRoute({
    permission: 'organization.own',
    summary: 'List the organizations that one is in',
    answer: ok(v.array(OrganizationView)),
    handle: async ({ actor }) => {
      const own = await listOrganizationsOf(actor.id)
      const people = await peopleOf([...new Set(own.map(({ about }) => about.owner_id))])
      return own.map(({ about }) => organizationRow(about, people))
    },
  }),

  'GET /data/organizations/{id}/': readRoute({
    permission: 'organization.read',
    summary: 'Read an organization with its first members',
    description: 'Admins first. `members_next` leads to the rest of them.',
    answer: ok(OrganizationDetailView),
    params: ById,
    subject,
    handle: async ({ subject, actor, request }) =>
      detailOf(subject, { actor, request, page: { limit: MEMBERS, offset: 0 } }),
  }),

  'PUT /data/organizations/{id}/': change,
  'PATCH /data/organizations/{id}/': change,

  'DELETE /data/organizations/{id}/': changeRoute({
    permission: 'organization.delete',
    summary: 'Delete an organization',
    description: 'Its owner, while nobody else is in it; staff always.',
    answer: empty,
    errors: [409],
    params: ById,
    subject,
    handle: async ({ unit, subject, actor }) => {
      deleteOrganization(unit, subject, actor)
      return replyNoContent()
    },
  }),

  'GET /data/organizations/{id}/members/': readRoute({
    permission: 'organization.read',
    summary: 'List the members of an organization',
    description: 'A page of them, admins first. The header `Link` leads to the next page.',
    answer: ok(v.array(OrganizationMemberView)),
    answerHeaders: ['Link'],
    pageSize: MEMBERS,
    params: ById,
    subject,
    handle: async ({ subject: { about }, actor, page, request }) => {
      const { results, next } = await membersOn({ of: about, actor, request, page })
      return new Reply(200, results, next === null ? {} : { link: `<${next}>; rel="next"` })
    },
  }),

  'POST /data/organizations/{id}/join/': changeRoute({
    permission: 'organization.join',
    summary: 'Join an organization',
    description: 'As a member whom no admin has confirmed yet. Joining gives no right to read what others may not.',
    answer: creation(OrganizationMemberView),
    errors: [409],
    params: ById,
    subject,
    idempotent: '24h',
    handle: async ({ unit, subject, actor, request }) => {
      const it = await joinOrganization(unit, subject, actor)
      return replyCreated(await showMember(it, { of: subject.about, actor, origin: request.origin }))
    },
  }),

  'POST /data/organizations/{id}/leave/': changeRoute({
    permission: 'organization.join',
    summary: 'Leave an organization',
    answer: ok(DetailView),
    errors: [409],
    translatedPaths: ['detail'],
    params: ById,
    subject,
    idempotent: '24h',
    handle: async ({ unit, subject, actor }) => {
      await endMembership(unit, subject, actor.id)
      return { detail: 'You have left this organization.' }
    },
  }),

  'PATCH /data/organizations/{id}/members/{user_id}/': changeRoute({
    permission: 'organization.change',
    summary: 'Confirm a member, or give a member a role',
    description:
      'Who gets a role is confirmed by it. With `owner` the member becomes the owner, if the owner or staff say so.',
    answer: ok(OrganizationMemberView),
    errors: [409],
    params: OfMember,
    subject,
    body: Role,
    handle: async ({ unit, subject, actor, params, body, request }) => {
      const it = await amendMembership(unit, subject, actor, params.user_id, body)
      return showMember(it, { of: subject.about, actor, origin: request.origin })
    },
  }),

  'DELETE /data/organizations/{id}/members/{user_id}/': changeRoute({
    permission: 'organization.change',
    summary: 'End the membership of somebody',
    answer: empty,
    errors: [409],
    params: OfMember,
    subject,
    handle: async ({ unit, subject, params }) => {
      await endMembership(unit, subject, params.user_id)
      return replyNoContent()
    },
  }),
} satisfies Routes

type Asked = { actor: Actor | null; request: Request; page: PageRequest }

async function detailOf({ about }: OrganizationSubject, asked: Asked) {
  const [people, { results, next }] = await Promise.all([
    peopleOf([about.owner_id]),
    membersOn({ ...asked, of: about }),
  ])
  return {
    ...organizationRow(about, people),
    updated_at: about.updated_at,
    members: results,
    members_next: next,
  }
}

/** One page of the members, and the address of the next one. */
async function membersOn({ of, actor, request, page }: Asked & { of: OrganizationSubject['about'] }) {
  const { found, results, ...listed } = await listMembers(of, page)
  const reader = { of, actor, origin: request.origin }
  const path = `/data/organizations/${of.id}/members/`
  return listBody({ ...request, path, query: {} }, page, {
    ...listed,
    results: results.map((it) => memberRow(it, found, reader)),
  })
}

const showMember = async (
  it: Parameters<typeof memberRow>[0],
  reader: Parameters<typeof memberRow>[2],
): Promise<ReturnType<typeof memberRow>> => memberRow(it, await getMany([keyOf(it.user_id)]), reader)
