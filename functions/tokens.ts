import * as v from 'valibot'
import { now } from '../lib/base/clock.ts'
import { config } from '../lib/base/config.ts'
import { badCredentials, forbidden, invalid } from '../lib/base/errors.ts'
import * as s from '../lib/base/shapes.ts'
import { askForLetter } from '../lib/doors/letters/account-letters.ts'
import type { UnitOfWork } from '../lib/engines/table/index.ts'
import { loadSeededUser } from '../lib/platform/auth/dev.ts'
import { type CountGuesses, countGuess, forgiveGuess, guesses } from '../lib/platform/auth/guesses.ts'
import {
  issueSession,
  issueTokens,
  refreshTokens,
  revokeSession,
  revokeToken,
  TokensView,
} from '../lib/platform/auth/jwt.ts'
import { creation, DetailView, ok } from '../lib/platform/http/answer.ts'
import { emailAddress, line, members, optional, REQUIRED, username } from '../lib/platform/http/body.ts'
import { endpoint } from '../lib/platform/http/endpoint.ts'
import { Reply, replyCreated } from '../lib/platform/http/reply.ts'
import type { Request } from '../lib/platform/http/request.ts'
import { actorRoute, publicRoute, type Routes } from '../lib/platform/http/route.ts'
import { hashPassword, isOutdated, passwordFaults, verifyPassword } from '../lib/platform/users/password.ts'
import { amendUser, loadUserByEmail, loadUserByUsername, registerUser, type User } from '../lib/platform/users/users.ts'

const password = v.pipe(v.string('Not a valid text.'), v.minLength(1, REQUIRED), v.maxLength(1024, 'Too long.'))
const name = v.optional(v.nullable(line(254)))
const token = v.optional(v.nullable(v.string('Not a valid text.')))

const EITHER = 'Give an email address or a username.'
/** The login name is an email address or a username. Either may be sent under either member. */
const Credentials = v.pipe(
  members({ email: name, username: name, password }),
  v.rawCheck(({ dataset: { value, typed }, addIssue }) => {
    if (!typed || (value.email || value.username || '').trim() !== '') return
    // If both are missing, both are reported: either is enough.
    for (const key of ['email', 'username'] as const)
      addIssue({ message: EITHER, path: [{ type: 'object', origin: 'value', input: value, key, value: value[key] }] })
  }),
  v.transform(({ username, email, password }) => ({
    names: [username, email].map((it) => (it ?? '').trim()).filter((it) => it !== ''),
    password,
  })),
)

const Registration = members({
  username: v.optional(v.nullable(v.union([v.literal(''), username]))),
  email: emailAddress,
  password,
  first_name: optional(line(50)),
  last_name: optional(line(50)),
  organization: optional(line(255)),
  position: optional(line(255)),
  university_school: optional(line(255)),
  birth_date: v.optional(v.nullable(v.union([v.literal(''), birthDate()]))),
})

const RegisteredView = s.shape('Registered', () =>
  v.object({
    message: s.text,
    user: v.object({ id: s.uuid, username: s.text, email: s.text, first_name: s.text, last_name: s.text }),
    profile: v.object({
      organization: s.text,
      position: s.text,
      birth_date: s.maybe(s.text),
      university_school: s.text,
    }),
  }),
)

/** Sign-ins and renewals of tokens share one count. */
const signIns = { scope: 'token', rate: 'RATE_TOKEN', per: 'address', counts: 'every call' } as const

const register = publicRoute({
  permission: 'account.register',
  summary: 'Make an account',
  description:
    'Without a username one is made from the email address. A letter asks whether the address is theirs; until its link is followed the account signs in by its username. The answer is the same whether or not an account has the address.',
  answer: creation(RegisteredView),
  throttles: [{ scope: 'register', rate: 'RATE_REGISTER', per: 'address', counts: 'every call' }],
  body: Registration,
  handle: async ({ unit, body, request }) => replyCreated(await makeAccount(unit, body, request)),
})

/** Signing in and out: tokens, their refresh and revocation, registration, and the sign-in of dev mode. */
export const routes = {
  'POST /api/token/': publicRoute({
    permission: 'token.create',
    summary: 'Sign in',
    description:
      'By `username`, or by an `email` that is verified, and password. Twenty wrong passwords an hour are the most for one account.',
    answer: ok(TokensView),
    errors: [401],
    throttles: [signIns, guesses],
    body: Credentials,
    handle: async ({ unit, body, request, count }) =>
      issueTokens(unit, await signIn(unit, body, count), request.headers['user-agent']),
  }),

  'POST /api/token/refresh/': publicRoute({
    permission: 'token.create',
    summary: 'Renew the access token',
    description: 'The refresh token is renewed too: one that is used twice ends its whole session.',
    answer: ok(TokensView),
    errors: [401],
    throttles: [signIns],
    body: members({ refresh: v.pipe(v.string('Not a valid text.'), v.minLength(1, REQUIRED)) }),
    handle: async ({ unit, body }) => refreshTokens(unit, body.refresh),
  }),

  'POST /data/blacklist/': actorRoute({
    permission: 'token.revoke',
    summary: 'Sign out: end the session of a token',
    description: 'One of the three members is needed; access tokens are taken too.',
    answer: ok(DetailView),
    body: v.pipe(
      members({ refresh: token, refresh_token: token, token }),
      v.transform((it) => ({ refresh: it.refresh || it.refresh_token || it.token || '' })),
      v.forward(
        v.check((it) => it.refresh !== '', REQUIRED),
        ['refresh'],
      ),
    ),
    handle: async ({ unit, actor, body }) => {
      await revokeToken(unit, body.refresh, actor.id)
      return { detail: 'The token is no longer good.' }
    },
  }),

  'POST /api/register/': register,
  'POST /data/register/': register,

  'POST /api/dev/login/': publicRoute({
    permission: 'token.create',
    summary: 'Sign in as a seeded user, in dev mode',
    description: 'Also sets the cookie of a session. Outside of dev mode it is refused.',
    answer: ok(TokensView),
    errors: [403],
    throttles: [{ scope: 'dev_login', rate: 'RATE_DEV_LOGIN', per: 'address', counts: 'every call' }],
    body: config.devMode ? members({ email: emailAddress }) : undefined,
    handle: async ({ unit, body, request }) => {
      // Outside of dev mode the body is not read, so each request gets the same answer.
      const user = body && (await loadSeededUser(body.email))
      if (!user?.is_active) throw forbidden(body ? 'Only seeded users sign in here.' : 'Dev login is not enabled.')
      const session = await issueSession(unit, user)
      const cookie = sessionCookie(request.origin, session.token, session.seconds)
      return new Reply(200, await issueTokens(unit, user), {}, [cookie])
    },
  }),

  'POST /api/dev/logout/': publicRoute({
    permission: 'session.end',
    summary: 'End the session of the cookie, in dev mode',
    answer: ok(DetailView),
    errors: [403],
    handle: async ({ unit, request }) => {
      if (!config.devMode) throw forbidden('Dev login is not enabled.')
      await revokeSession(unit, request.cookies.session ?? '')
      return new Reply(200, { detail: 'Signed out.' }, {}, [sessionCookie(request.origin, '', 0)])
    },
  }),
} satisfies Routes

export const handler = endpoint(routes)

/**
 * Returns the user of a login name and password. Fails with `unauthenticated`, in the same time whether the name is unknown, the
 * password wrong, the user inactive, or the name an address that is not proven. Fails with `tooMany` after too many guesses. Guesses by
 * address are counted for the address alone, so nobody can tell whose it is.
 */
async function signIn(
  unit: UnitOfWork,
  { names, password }: v.InferOutput<typeof Credentials>,
  count: CountGuesses,
): Promise<User> {
  const found = await findByNames(names)
  const counted = found && !found.byEmail ? found.user.id : (names[0] ?? '')
  await countGuess(count, counted)
  const matches = await verifyPassword(password, found?.user.password ?? '')
  const user = found?.user
  if (!user?.is_active || !matches || !found?.isProven) throw badCredentials()
  await forgiveGuess(count, counted)
  if (!isOutdated(user.password)) return user
  // Stores a stronger hash of the same password, unless the password has changed meanwhile.
  const stronger = await hashPassword(password)
  const next = await amendUser(unit, user.id, (it) => (it.password === user.password ? { password: stronger } : {}))
  return next ?? user
}

type Found = { user: User; byEmail: boolean; isProven: boolean }
/** Finds the first user that one of these login names means. An address means its user only once it is proven. */
async function findByNames(names: readonly string[]): Promise<Found | undefined> {
  for (const name of names) {
    const byEmail = name.includes('@')
    const user = await (byEmail ? loadUserByEmail(name) : loadUserByUsername(name))
    if (user) return { user, byEmail, isProven: !byEmail || user.email_verified }
  }
  return undefined
}

async function makeAccount(unit: UnitOfWork, body: v.InferOutput<typeof Registration>, request: Request) {
  const { username, email, password, birth_date, ...profile } = body
  const broken = await passwordFaults(password, { ...profile, username: username ?? '', email })
  if (broken.length > 0) throw invalid({ password: broken })
  const input = { ...profile, email, birth_date: birth_date || null, password: await hashPassword(password) }
  const user = await registerUser(unit, { ...input, username: username || undefined })
  if (config.LETTERS_SENDER !== '') askForLetter(unit, { sort: 'verify', user_id: user.id, email }, request)
  return {
    message: 'The account has been made. You can sign in now.',
    user: {
      id: user.id,
      username: user.username,
      email: user.email,
      first_name: user.first_name,
      last_name: user.last_name,
    },
    profile: {
      organization: user.organization,
      position: user.position,
      birth_date: user.birth_date,
      university_school: user.university_school,
    },
  }
}

function birthDate() {
  const real = (it: string) => new Date(`${it}T00:00:00Z`).toISOString().startsWith(it)
  return v.pipe(
    v.string('Not a valid text.'),
    v.isoDate('Enter a date as YYYY-MM-DD.'),
    v.check((it) => !Number.isNaN(Date.parse(it)) && real(it), 'There is no such day.'),
    v.check((it) => it <= now().slice(0, 10), 'This day has not come yet.'),
  )
}

function sessionCookie(origin: string, value: string, seconds: number): string {
  const secure = origin.startsWith('https:') ? '; Secure' : ''
  return `session=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure}`
}
