import * as v from 'valibot'
import { forbidden, notFound, signInNeeded } from '../lib/base/errors.ts'
import { languages } from '../lib/base/language/languages.ts'
import { listOrganizationsOf } from '../lib/domain/organizations/members.ts'
import { organizationOfProfile } from '../lib/domain/organizations/view.ts'
import { contributionFates, leave } from '../lib/doors/departure/items.ts'
import { askForExport, exportView, loadExport, OwnExportView } from '../lib/doors/departure/own-export.ts'
import { withTables } from '../lib/doors/exports/list-tables.ts'
import { calendarKeys } from '../lib/engines/calendars/index.ts'
import { checkPassword, guesses } from '../lib/platform/auth/guesses.ts'
import { DetailView, listOf, ok } from '../lib/platform/http/answer.ts'
import {
  choice,
  line,
  lines,
  members,
  objectOf,
  optional,
  optionalChoice,
  username,
  webAddress,
} from '../lib/platform/http/body.ts'
import { endpoint } from '../lib/platform/http/endpoint.ts'
import { listBody } from '../lib/platform/http/page.ts'
import { uuidText } from '../lib/platform/http/params.ts'
import { Reply } from '../lib/platform/http/reply.ts'
import type { Request } from '../lib/platform/http/request.ts'
import { actorRoute, publicRoute, type Routes } from '../lib/platform/http/route.ts'
import { type Actor, maySeeEmail } from '../lib/platform/permissions.ts'
import { UserCardView } from '../lib/platform/users/people.ts'
import {
  amendUser,
  cardOf,
  listUsers,
  loadUser,
  loadUserByUsername,
  renameUser,
  type User,
} from '../lib/platform/users/users.ts'
import { AccountView, accountOf, ProfileView, profileOf } from '../lib/platform/users/views/profile.ts'
import { keys } from './users/keys.ts'
import { organizations } from './users/organizations.ts'

const Slug = v.object({ slug: uuidText })

/** The members of a profile that its person may change. Username, email and score do not change here. */
const Profile = members({
  first_name: optional(line(50)),
  middle_name: optional(line(50)),
  last_name: optional(line(50)),
  biography: optional(lines(5000)),
  area_of_expertise: optional(line(255)),
  country: optional(line(100)),
  organization: optional(line(255)),
  position: optional(line(255)),
  university_school: optional(line(255)),
  website_link: optional(webAddress(200)),
  social_links: v.exactOptional(socialLinks()),
  language: v.exactOptional(optionalChoice(languages)),
  calendar: v.exactOptional(optionalChoice(calendarKeys)),
  contributor_mode: v.exactOptional(v.picklist(['basic', 'advanced'], 'Choose one of: basic, advanced.')),
})

const changeProfile = actorRoute({
  permission: 'profile.change',
  summary: 'Change the own profile',
  description:
    'Only the members that are sent change. `language` (`en`, `ne`) is the one in which the service speaks to the caller whatever `Accept-Language` says, `calendar` the one in which it shows dates where no query names one; empty or null takes the setting back. Only the person sees them.',
  answer: ok(ProfileView),
  params: Slug,
  body: Profile,
  handle: async ({ unit, actor, params, body, request }) => {
    if (params.slug !== actor.id) throw (await ifActive(loadUser(params.slug))) ? forbidden() : notFound()
    const user = await amendUser(unit, actor.id, () => body)
    if (!user) throw notFound()
    return showProfile(user, actor, request)
  },
})

const Leaving = members({
  password: v.optional(v.pipe(v.string('Not a valid text.'), v.maxLength(1024, 'Too long.')), ''),
  contributions: v.optional(choice(contributionFates), 'keep'),
})

const changeUsername = actorRoute({
  permission: 'account.change',
  summary: 'Change the own username',
  answer: ok(v.object({ username: v.string() })),
  errors: [409],
  body: members({ username }),
  handle: async ({ unit, actor, body }) => ({
    username: (await renameUser(unit, await loadOwnUser(actor), body.username)).username,
  }),
})

/** The caller's account, public profiles, and organizations. */
export const routes = withTables({
  ...organizations,

  'GET /api/user/info/': actorRoute({
    permission: 'account.read',
    summary: 'Read the own account',
    answer: ok(AccountView),
    handle: async ({ actor }) => accountOf(await loadOwnUser(actor)),
  }),

  'GET /data/testme/': actorRoute({
    permission: 'account.read',
    summary: 'Ask whether a token is good',
    answer: ok(v.object({ message: v.string(), roles: v.array(v.string()) })),
    translatedPaths: ['message'],
    handle: async ({ actor }) => ({ message: `Hello, ${actor.username}. You are signed in.`, roles: [] }),
  }),

  'GET /data/testthelogin/': actorRoute({
    permission: 'account.read',
    summary: 'List the users',
    answer: listOf(UserCardView),
    handle: async ({ actor, page, request }) => {
      const { items, ...listed } = await listUsers(page)
      return listBody(request, page, { ...listed, results: items.map((it) => cardFor(it, actor)) })
    },
  }),

  'GET /data/user/me/': actorRoute({
    permission: 'account.read',
    summary: 'Read the own profile',
    answer: ok(ProfileView),
    handle: async ({ actor, request }) => showProfile(await loadOwnUser(actor), actor, request),
  }),

  'GET /data/user/me/export/': actorRoute({
    permission: 'account.export',
    summary: 'Read where the file with the own data is',
    description: 'Its address is good for a quarter of an hour, and the file for a week.',
    answer: ok(OwnExportView),
    handle: async ({ actor }) => exportView(await loadExport(await loadOwnUser(actor))),
  }),

  'POST /data/user/me/export/': actorRoute({
    permission: 'account.export',
    summary: 'Ask for a file with the own data',
    description:
      'Profile, contributions, decisions, comments, notifications, letters, imports, and the names of keys, hooks and sessions, as JSON. A worker makes it within half an hour, in place of an earlier one.',
    answer: { 202: { shape: OwnExportView } },
    throttles: [
      { scope: 'account_export', rate: { limit: 5, seconds: 86_400 }, per: 'caller', counts: 'every success' },
    ],
    handle: async ({ unit, actor }) =>
      new Reply(202, await exportView(await askForExport(unit, await loadOwnUser(actor)))),
  }),

  'DELETE /data/user/me/': actorRoute({
    permission: 'account.leave',
    summary: 'Leave for good',
    description:
      "From the answer on the account is nobody's: no session, key or hook acts by it. Name, address and profile are gone from every answer, and within a day from every copy. Contributions stay under a name such as `former-contributor-1a2b3c4d`, and so do decisions. With `contributions` as `remove` those go on which nobody else has built. `password` is needed where there is one.",
    answer: { 202: { shape: DetailView } },
    errors: [409],
    translatedPaths: ['detail'],
    body: Leaving,
    throttles: [guesses],
    handle: async ({ unit, actor, body, count }) => {
      const user = await loadOwnUser(actor)
      if (user.password !== '') await checkPassword(count, user, body.password, 'password')
      await leave(unit, user, body.contributions)
      return new Reply(202, { detail: 'You have left. Your name is gone from everything within a day.' })
    },
  }),

  'GET /data/user/{slug}/': publicRoute({
    permission: 'profile.read',
    summary: 'Read a profile by the id of its user',
    answer: ok(ProfileView),
    params: Slug,
    handle: async ({ actor, params, request }) =>
      showProfile(await requirePublicUser(loadUser(params.slug)), actor, request),
  }),

  'GET /data/user/by-username/{username}/': publicRoute({
    permission: 'profile.read',
    summary: 'Read a profile by username',
    answer: ok(ProfileView),
    params: v.object({ username }),
    handle: async ({ actor, params, request }) =>
      showProfile(await requirePublicUser(loadUserByUsername(params.username)), actor, request),
  }),

  'POST /data/user/{slug}/': changeProfile,
  'PUT /data/user/{slug}/': changeProfile,
  'PATCH /data/user/{slug}/': changeProfile,
  'PATCH /user/username/': changeUsername,
  'PUT /user/username/': changeUsername,
  ...keys,
} satisfies Routes)

export const handler = endpoint(routes)

/** Returns the user if it is active: an inactive user has no public profile. */
const ifActive = async (user: Promise<User | undefined>) => ((await user)?.is_active ? user : undefined)

async function requirePublicUser(user: Promise<User | undefined>): Promise<User> {
  const it = await ifActive(user)
  if (!it) throw notFound()
  return it
}

/** The profile of a user with the organizations that the user is in. */
const showProfile = async (user: User, actor: Actor | null, { origin }: Request) =>
  profileOf(user, actor, origin, (await listOrganizationsOf(user.id)).map(organizationOfProfile))

/** Loads the caller's own user. Fails if it was removed a moment ago. */
async function loadOwnUser(actor: Actor): Promise<User> {
  const user = await loadUser(actor.id)
  if (!user) throw signInNeeded()
  return user
}

function cardFor(stored: Record<string, unknown>, actor: Actor) {
  const card = cardOf(stored)
  return maySeeEmail(actor, card.id) ? { ...card, email: String(stored.email) } : card
}

/** Profiles in social networks, by the name of the network: a web address or a user name. */
function socialLinks() {
  const handle = v.pipe(
    line(300),
    v.trim(),
    v.check((it) => /^https?:\/\//i.test(it) || !it.includes(':'), 'Enter a web address or a name.'),
  )
  return v.pipe(
    v.nullable(
      objectOf(
        v.pipe(v.string(), v.regex(/^[a-z][a-z0-9_]{0,29}$/, 'Names of networks are lower-case letters.')),
        handle,
        'Send an object of addresses.',
      ),
    ),
    v.transform((it) => it ?? {}),
    v.check((it) => Object.keys(it).length <= 20, 'Give no more than 20 of them.'),
  )
}
