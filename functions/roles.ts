import '../lib/effects/search-documents.ts'
import * as v from 'valibot'
import { checkAllowed, notFound, signInNeeded } from '../lib/errors.ts'
import { withTables } from '../lib/exports/list-tables.ts'
import { answering, creating } from '../lib/http/answering.ts'
import { choice, line, members, optionalChoice, prose, REQUIRED, uuidOf } from '../lib/http/body.ts'
import { endpoint } from '../lib/http/endpoint.ts'
import { listBody } from '../lib/http/page.ts'
import { ById, knownText, NameQuery } from '../lib/http/params.ts'
import { noContent } from '../lib/http/reply.ts'
import { actorRoute, type Routes } from '../lib/http/route.ts'
import { type Actor, mayAnswer, mayChangeRoleOf, maySeeAll, ranks } from '../lib/permissions.ts'
import * as applications from '../lib/users/applications.ts'
import { peopleOf } from '../lib/users/people.ts'
import * as roles from '../lib/users/roles.ts'
import { searchUsers } from '../lib/users/search.ts'
import * as users from '../lib/users/users.ts'
import { applicationView, ownApplicationView, roleView, userView } from '../lib/users/views/role.ts'

const expertise_areas = v.pipe(
  v.nullish(v.array(v.pipe(line(100), v.trim()), 'Give a list of texts.')),
  v.check((it) => (it?.length ?? 0) <= 50, 'Give no more than 50 of them.'),
  v.transform((it) => it?.filter(Boolean)),
)
const is_active = v.exactOptional(v.boolean('Give true or false.'))

/** A user by id or by name, and what to make of them. */
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
  body: Assignment,
  idempotent: '24h',
  handle: async ({ actor, body: { user_id, username, ...said } }) => {
    const id = user_id ?? (username && (await users.loadByUsername(username))?.id)
    if (!id) throw notFound()
    checkAllowed(mayChangeRoleOf(actor, id))
    return answering(
      async () => found(await roles.assign(id, said, actor)),
      ({ holder }) => viewOf(holder, actor),
      ({ made }) => (made ? 201 : 200),
    )
  },
})

const change = (body: typeof Whole | typeof Part) =>
  actorRoute({
    permission: 'role.change',
    params: ById,
    body,
    handle: async ({ actor, params: { id }, body }) => {
      checkAllowed(mayChangeRoleOf(actor, id))
      return answering(
        async () => found(await roles.amend(id, body, actor)),
        (it) => viewOf(it, actor),
      )
    },
  })

const answer = (give: (it: applications.Application, by: Actor, notes: string) => ReturnType<typeof roles.approve>) =>
  actorRoute({
    permission: 'application.answer',
    params: ById,
    body: Answer,
    handle: async ({ actor, params: { id }, body: { admin_notes } }) => {
      const it = found(await applications.load(id))
      checkAllowed(mayAnswer(actor, it.user_id))
      return answering(
        async () => found(await give(it, actor, admin_notes)),
        async (answered) => applicationView(answered, await peopleOf(applications.peopleOn(answered))),
      )
    },
  })

/** Who reviews: roles, applications for them, and the people who may be given one. */
export const routes = withTables({
  'GET /data/reviewer-roles/': actorRoute({
    permission: 'role.read',
    handle: async ({ actor, page, request }) => {
      const { people, results, ...listed } = await roles.list(page)
      return listBody(request, page, { ...listed, results: results.map((it) => roleView(it, people, actor)) })
    },
  }),

  'GET /data/reviewer-roles/my_role/': actorRoute({
    permission: 'role.own',
    handle: async ({ actor }) => viewOf(found(await roles.load(actor.id)), actor),
  }),

  'GET /data/reviewer-roles/{id}/': actorRoute({
    permission: 'role.read',
    params: ById,
    handle: async ({ actor, params: { id } }) => viewOf(found(await roles.load(id)), actor),
  }),

  'POST /data/reviewer-roles/': assign,
  'POST /data/reviewer-roles/assign/': assign,
  'PUT /data/reviewer-roles/{id}/': change(Whole),
  'PATCH /data/reviewer-roles/{id}/': change(Part),

  'DELETE /data/reviewer-roles/{id}/': actorRoute({
    permission: 'role.change',
    params: ById,
    handle: async ({ actor, params: { id } }) => {
      checkAllowed(mayChangeRoleOf(actor, id))
      found(await roles.remove(id))
      return noContent()
    },
  }),

  'GET /data/reviewer-applications/': actorRoute({
    permission: 'application.read',
    query: v.object({ status: optionalChoice(applications.statuses) }),
    handle: async ({ query: { status }, page, request }) => {
      const { people, results, ...listed } = await applications.list(status, page)
      return listBody(request, page, { ...listed, results: results.map((it) => applicationView(it, people)) })
    },
  }),

  'POST /data/reviewer-applications/': actorRoute({
    permission: 'application.own',
    body: members({ message: prose(4000) }),
    idempotent: '24h',
    handle: ({ actor, body: { message } }) =>
      creating(async () => signedIn(await applications.apply(actor.id, message)), ownApplicationView),
  }),

  'GET /data/reviewer-applications/mine/': actorRoute({
    permission: 'application.own',
    handle: async ({ actor }) => ownApplicationView(await applications.loadOf(signedIn(await users.load(actor.id)))),
  }),

  'POST /data/reviewer-applications/mine/withdraw/': actorRoute({
    permission: 'application.own',
    handle: async ({ actor }) => {
      signedIn(await applications.withdraw(actor.id))
      return noContent()
    },
  }),

  'GET /data/reviewer-applications/{id}/': actorRoute({
    permission: 'application.read',
    params: ById,
    handle: async ({ params: { id } }) => {
      const it = found(await applications.load(id))
      return applicationView(it, await peopleOf(applications.peopleOn(it)))
    },
  }),

  'POST /data/reviewer-applications/{id}/approve/': answer(roles.approve),
  'POST /data/reviewer-applications/{id}/reject/': answer(applications.reject),

  'GET /data/platform-admin/users/': actorRoute({
    permission: 'user.read',
    query: v.object({ ...NameQuery.entries, ordering: knownText(['date_joined', '-date_joined']) }),
    handle: async ({ actor, query: { search, ordering }, page, request }) => {
      const forward = ordering === 'date_joined'
      const listed = search
        ? await searchUsers(search, { byEmail: maySeeAll(actor), forward }, page)
        : await users.list(page, forward)
      const results = listed.items.map((it) => userView(users.userOf(it), actor))
      return listBody(request, page, { ...listed, results })
    },
  }),

  'GET /data/platform-admin/users/{id}/': actorRoute({
    permission: 'user.read',
    params: ById,
    handle: async ({ actor, params: { id } }) => userView(found(await users.load(id)), actor),
  }),
} satisfies Routes)

export const handler = endpoint(routes)

function found<T>(it: T | undefined): T {
  if (it === undefined) throw notFound()
  return it
}

/** What the caller's own item answers; who was removed in this very moment is nobody any more. */
function signedIn<T>(it: T | undefined): T {
  if (it === undefined) throw signInNeeded()
  return it
}

const viewOf = async (it: roles.Holder, actor: Actor) =>
  roleView(it, await peopleOf([it.reviewer_role.assigned_by]), actor)
