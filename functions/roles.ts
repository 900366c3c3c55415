import type { UnitOfWork } from '../lib/engines/table/index.ts'
import '../lib/domain/composition.ts'
import * as v from 'valibot'
import { checkAllowed, notFound, signInNeeded } from '../lib/base/errors.ts'
import { contributionFates, leave } from '../lib/doors/departure/items.ts'
import { withTables } from '../lib/doors/exports/list-tables.ts'
import { askForLetter } from '../lib/doors/letters/account-letters.ts'
import { linkPlan, providers } from '../lib/platform/auth/link.ts'
import { creation, DetailView, empty, listOf, ok } from '../lib/platform/http/answer.ts'

import { choice, line, lines, members, optionalChoice, prose, REQUIRED, uuidOf } from '../lib/platform/http/body.ts'
import { endpoint } from '../lib/platform/http/endpoint.ts'
import { listBody } from '../lib/platform/http/page.ts'
import { ById, lenientChoice, NameQuery } from '../lib/platform/http/params.ts'
import { Reply, replyCreated, replyNoContent } from '../lib/platform/http/reply.ts'
import { actorRoute, type Routes } from '../lib/platform/http/route.ts'
import { type Actor, mayAnswer, mayChangeRoleOf, maySeeAll, ranks } from '../lib/platform/permissions.ts'
import * as applications from '../lib/platform/users/applications.ts'
import { activateUser, deactivateUser } from '../lib/platform/users/deactivation.ts'
import { peopleOf } from '../lib/platform/users/people.ts'
import * as roles from '../lib/platform/users/roles.ts'
import { searchUsers } from '../lib/platform/users/search.ts'
import * as users from '../lib/platform/users/users.ts'
import {
  ApplicationView,
  applicationView,
  OwnApplicationView,
  ownApplicationView,
  ReviewerRoleView,
  roleView,
  UserView,
  userView,
} from '../lib/platform/users/views/role.ts'

const expertise_areas = v.pipe(
  v.nullish(v.array(v.pipe(line(100), v.trim()), 'Give a list of texts.')),
  v.check((it) => (it?.length ?? 0) <= 50, 'Give no more than 50 of them.'),
  v.transform((it) => it?.filter(Boolean)),
)
const is_active = v.exactOptional(v.boolean('Give true or false.'))

/** A user, by id or by name, and the new role. */
const Assignment = v.pipe(
  members({
    user_id: v.nullish(uuidOf()),
    username: v.nullish(v.pipe(line(100), v.trim())),
    role: choice(ranks),
    expertise_areas,
  }),
  v.forward(
    v.partialCheck([['user_id'], ['username']], (it) => Boolean(it.user_id || it.username), REQUIRED),
    ['user_id'],
  ),
)
const Whole = members({ role: choice(ranks), expertise_areas, is_active })
const Part = members({ role: v.exactOptional(choice(ranks)), expertise_areas, is_active })
const Answer = members({ admin_notes: prose(4000) })

const assign = actorRoute({
  permission: 'role.change',
  summary: 'Give someone a role',
  description: 'By `user_id` or `username`. 201 for a new role, 200 where one is changed.',
  answer: { ...ok(ReviewerRoleView), ...creation(ReviewerRoleView) },
  errors: [404, 409],
  body: Assignment,
  idempotent: '24h',
  handle: async ({ unit, actor, body: { user_id, username, ...said } }) => {
    const id = user_id ?? (username && (await users.loadUserByUsername(username))?.id)
    if (!id) throw notFound()
    checkAllowed(mayChangeRoleOf(actor, id))
    const { holder, made } = requireFound(await roles.assignRole(unit, id, said, actor))
    const view = await viewOf(holder, actor)
    return made ? replyCreated(view) : view
  },
})

const change = (body: typeof Whole | typeof Part) =>
  actorRoute({
    permission: 'role.change',
    summary: body === Whole ? 'Replace a role' : 'Change a role',
    answer: ok(ReviewerRoleView),
    errors: [409],
    params: ById,
    body,
    handle: async ({ unit, actor, params: { id }, body }) => {
      checkAllowed(mayChangeRoleOf(actor, id))
      const it = requireFound(await roles.amendRole(unit, id, body, actor))
      return viewOf(it, actor)
    },
  })

const answer = (
  give: (
    unit: UnitOfWork,
    it: applications.Application,
    by: Actor,
    notes: string,
  ) => ReturnType<typeof roles.approveApplication>,
) =>
  actorRoute({
    permission: 'application.answer',
    summary: give === roles.approveApplication ? 'Approve an application' : 'Reject an application',
    answer: ok(ApplicationView),
    errors: [409],
    params: ById,
    body: Answer,
    handle: async ({ unit, actor, params: { id }, body: { admin_notes } }) => {
      const it = requireFound(await applications.loadApplication(id))
      checkAllowed(mayAnswer(actor, it.user_id))
      const answered = requireFound(await give(unit, it, actor, admin_notes))
      return applicationView(answered, await peopleOf(applications.peopleOnApplication(answered)))
    },
  })

/** Roles of reviewers, applications for them, and the people who may get one. */
export const routes = withTables({
  'GET /data/reviewer-roles/': actorRoute({
    permission: 'role.read',
    summary: 'List the roles',
    answer: listOf(ReviewerRoleView),
    handle: async ({ actor, page, request }) => {
      const { people, results, ...listed } = await roles.listRoles(page)
      return listBody(request, page, { ...listed, results: results.map((it) => roleView(it, people, actor)) })
    },
  }),

  'GET /data/reviewer-roles/my_role/': actorRoute({
    permission: 'role.own',
    summary: 'Read the own role',
    answer: ok(ReviewerRoleView),
    errors: [404],
    handle: async ({ actor }) => viewOf(requireFound(await roles.loadRole(actor.id)), actor),
  }),

  'GET /data/reviewer-roles/{id}/': actorRoute({
    permission: 'role.read',
    summary: 'Read a role',
    answer: ok(ReviewerRoleView),
    params: ById,
    handle: async ({ actor, params: { id } }) => viewOf(requireFound(await roles.loadRole(id)), actor),
  }),

  'POST /data/reviewer-roles/': assign,
  'POST /data/reviewer-roles/assign/': assign,
  'PUT /data/reviewer-roles/{id}/': change(Whole),
  'PATCH /data/reviewer-roles/{id}/': change(Part),

  'DELETE /data/reviewer-roles/{id}/': actorRoute({
    permission: 'role.change',
    summary: 'Take a role away',
    answer: empty,
    errors: [409],
    params: ById,
    handle: async ({ unit, actor, params: { id } }) => {
      checkAllowed(mayChangeRoleOf(actor, id))
      requireFound(await roles.removeRole(unit, id))
      return replyNoContent()
    },
  }),

  'GET /data/reviewer-applications/': actorRoute({
    permission: 'application.read',
    summary: 'List the applications',
    answer: listOf(ApplicationView),
    query: v.object({ status: optionalChoice(applications.applicationStatuses) }),
    handle: async ({ query: { status }, page, request }) => {
      const { people, results, ...listed } = await applications.listApplications(status, page)
      return listBody(request, page, { ...listed, results: results.map((it) => applicationView(it, people)) })
    },
  }),

  'POST /data/reviewer-applications/': actorRoute({
    permission: 'application.own',
    summary: 'Apply for a role',
    answer: creation(OwnApplicationView),
    errors: [409],
    body: members({ message: prose(4000) }),
    idempotent: '24h',
    handle: async ({ unit, actor, body: { message } }) => {
      const made = signedIn(await applications.applyForRole(unit, actor.id, message))
      return replyCreated(ownApplicationView(made))
    },
  }),

  'GET /data/reviewer-applications/mine/': actorRoute({
    permission: 'application.own',
    summary: 'Read the own application',
    answer: ok(OwnApplicationView),
    handle: async ({ actor }) =>
      ownApplicationView(await applications.loadLatestApplication(signedIn(await users.loadUser(actor.id)))),
  }),

  'POST /data/reviewer-applications/mine/withdraw/': actorRoute({
    permission: 'application.own',
    summary: 'Withdraw the own application',
    answer: empty,
    errors: [409],
    handle: async ({ unit, actor }) => {
      signedIn(await applications.withdrawApplication(unit, actor.id))
      return replyNoContent()
    },
  }),

  'GET /data/reviewer-applications/{id}/': actorRoute({
    permission: 'application.read',
    summary: 'Read an application',
    answer: ok(ApplicationView),
    params: ById,
    handle: async ({ params: { id } }) => {
      const it = requireFound(await applications.loadApplication(id))
      return applicationView(it, await peopleOf(applications.peopleOnApplication(it)))
    },
  }),

  'POST /data/reviewer-applications/{id}/approve/': answer(roles.approveApplication),
  'POST /data/reviewer-applications/{id}/reject/': answer(applications.rejectApplication),

  'GET /data/platform-admin/users/': actorRoute({
    permission: 'user.read',
    summary: 'List the users who may be given a role',
    answer: listOf(UserView),
    query: v.object({ ...NameQuery.entries, ordering: lenientChoice(['date_joined', '-date_joined']) }),
    handle: async ({ actor, query: { search, ordering }, page, request }) => {
      const forward = ordering === 'date_joined'
      const listed = search
        ? await searchUsers(search, { byEmail: maySeeAll(actor), forward }, page)
        : await users.listUsers(page, forward)
      const results = listed.items.map((it) => userView(users.userOf(it), actor))
      return listBody(request, page, { ...listed, results })
    },
  }),

  'GET /data/platform-admin/users/{id}/': actorRoute({
    permission: 'user.read',
    summary: 'Read a user',
    answer: ok(UserView),
    params: ById,
    handle: async ({ actor, params: { id } }) => userView(requireFound(await users.loadUser(id)), actor),
  }),

  'DELETE /data/platform-admin/users/{id}/': actorRoute({
    permission: 'user.moderate',
    summary: 'Remove an account for good',
    description: 'What its person does by `DELETE /data/user/me/`, where they cannot do it themselves.',
    answer: { 202: { shape: DetailView } },
    errors: [404, 409],
    translatedPaths: ['detail'],
    params: ById,
    body: members({ contributions: v.optional(choice(contributionFates), 'keep') }),
    handle: async ({ unit, params: { id }, body: { contributions } }) => {
      const user = requireFound(await users.loadUser(id))
      await leave(unit, user, contributions)
      return new Reply(202, { detail: 'The account is gone. Its name is gone from everything within a day.' })
    },
  }),

  'POST /data/platform-admin/users/{id}/link/': actorRoute({
    permission: 'user.moderate',
    summary: 'Link an account to a person of an identity provider',
    description:
      'For a person whom the service refused since the account with their address belongs to another sign-in. `subject` is the `sub` of their token. What was made before and acts for the account goes: password, sessions, keys, hooks, uploads that wait.',
    answer: ok(UserView),
    errors: [404, 409],
    params: ById,
    body: members({
      provider: choice(providers),
      subject: v.pipe(v.string(REQUIRED), line(255), v.minLength(1, REQUIRED)),
    }),
    handle: async ({ unit, actor, params: { id }, body: { provider, subject } }) => {
      const linked = await users.amendUserByPlan(unit, id, async (it) => linkPlan(it, provider, subject))
      return userView(requireFound(linked), actor)
    },
  }),

  'POST /data/platform-admin/users/{id}/deactivate/': actorRoute({
    permission: 'user.moderate',
    summary: 'Close an account at once',
    description:
      'Its sessions, tokens, keys and hooks end with the answer; its contributions stay. Staff and the person read the reason.',
    answer: ok(UserView),
    errors: [404, 409],
    params: ById,
    body: members({ reason: v.pipe(v.string(REQUIRED), lines(2000), v.trim(), v.minLength(1, REQUIRED)) }),
    handle: async ({ unit, actor, params: { id }, body: { reason }, request }) => {
      const closed = requireFound(await deactivateUser(unit, id, reason, actor))
      const { email, email_verified } = closed
      if (email_verified) askForLetter(unit, { sort: 'deactivated', user_id: id, email, reason }, request)
      return userView(closed, actor)
    },
  }),

  'POST /data/platform-admin/users/{id}/activate/': actorRoute({
    permission: 'user.moderate',
    summary: 'Open a closed account again',
    description: 'Its sessions, keys of programs that have expired meanwhile, and hooks do not come back.',
    answer: ok(UserView),
    errors: [404, 409],
    params: ById,
    handle: async ({ unit, actor, params: { id } }) => userView(requireFound(await activateUser(unit, id)), actor),
  }),
} satisfies Routes)

export const handler = endpoint(routes)

function requireFound<T>(it: T | undefined): T {
  if (it === undefined) throw notFound()
  return it
}

/** Returns the caller's own item. Fails with 401 if the caller was removed a moment ago. */
function signedIn<T>(it: T | undefined): T {
  if (it === undefined) throw signInNeeded()
  return it
}

const viewOf = async (it: roles.RoleHolder, actor: Actor) =>
  roleView(it, await peopleOf([it.reviewer_role.assigned_by]), actor)
