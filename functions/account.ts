import * as v from 'valibot'
import { config } from '../lib/base/config.ts'
import { impossible, invalid, notFound, signInNeeded } from '../lib/base/errors.ts'
import { phrase } from '../lib/base/language/languages.ts'
import * as s from '../lib/base/shapes.ts'
import { askForLetter } from '../lib/doors/letters/account-letters.ts'
import { readAddressToken, readPasswordToken } from '../lib/doors/letters/links.ts'
import { linkPage, maskAddress } from '../lib/doors/letters/page.ts'
import { isSendable } from '../lib/doors/letters/sendable.ts'
import { type CountGuesses, checkPassword, digestOfName, guesses } from '../lib/platform/auth/guesses.ts'
import { issueTokens, sessionIn, TokensView } from '../lib/platform/auth/jwt.ts'
import { DetailView, empty, ok } from '../lib/platform/http/answer.ts'
import { emailAddress, members, REQUIRED } from '../lib/platform/http/body.ts'
import { endpoint } from '../lib/platform/http/endpoint.ts'
import { ById, MISSING } from '../lib/platform/http/params.ts'
import { Reply, replyNoContent, replySeeOther } from '../lib/platform/http/reply.ts'
import type { Request } from '../lib/platform/http/request.ts'
import { actorRoute, publicRoute, type Routes } from '../lib/platform/http/route.ts'
import type { Actor } from '../lib/platform/permissions.ts'
import { changePassword, endSessions, proveAddress, resetPassword } from '../lib/platform/users/credentials.ts'
import { hashPassword, passwordFaults } from '../lib/platform/users/password.ts'
import { endSession, listSessions, SessionView, sessionView } from '../lib/platform/users/tokens.ts'
import { loadUser, type User } from '../lib/platform/users/users.ts'

const password = v.pipe(v.string('Not a valid text.'), v.minLength(1, REQUIRED), v.maxLength(1024, 'Too long.'))
const Token = v.object({ token: v.pipe(v.string(MISSING), v.maxLength(1000)) }, MISSING)
/** After a refused password, the page for a new password is opened again with `again`. */
const PasswordToken = v.object(
  { ...Token.entries, again: v.exactOptional(v.pipe(v.string(), v.maxLength(1))) },
  MISSING,
)

/** Anybody can ask for letters to the address of somebody else, so the limits are low: for each client, and for each address. */
const asksOfClient = { scope: 'ask_letter', rate: 'RATE_REGISTER', per: 'address', counts: 'every call' } as const
const asksForAddress = {
  scope: 'ask_letter_to',
  rate: { limit: 5, seconds: 3600 },
  // A digest, since the count may outlast the account.
  per: ({ body }: { body: { email: string } }) => digestOfName(body.email),
  counts: 'every success',
} as const
const ownAsks = { rate: { limit: 10, seconds: 3600 }, per: 'caller', counts: 'every success' } as const

/** 202: a letter will be sent, if there is an account to send it to. */
const asked = { 202: { shape: DetailView } } as const
const replyAsked = (detail: string) => new Reply(202, { detail })
const withPage = <S extends s.Schema>(shape: S) => ({ 200: { shape, types: ['text/html'] } }) as const

/** What the page of a link shows. Anybody may have got the link, so an address is shown only in part. */
const AddressLinkView = s.shape('AddressLink', () => v.object({ email: s.text, verified: v.boolean() }))
const PasswordLinkView = s.shape('PasswordLink', () => v.object({ username: s.text }))

/** How a person proves an address, gets a new password, and sees where they are signed in. */
export const routes = {
  'POST /api/password/reset/': publicRoute({
    permission: 'account.recover',
    summary: 'Ask for a new password',
    description:
      'A letter goes to the address, if it is that of an account. The answer is the same for every address. Its link is good for an hour.',
    answer: asked,
    translatedPaths: ['detail'],
    body: members({ email: emailAddress }),
    throttles: [asksOfClient, asksForAddress],
    handle: async ({ unit, body: { email }, request }) => {
      checkLetters()
      askForLetter(unit, { sort: 'reset', user_id: null, email }, request)
      return replyAsked('If there is an account of this address, a letter is on its way.')
    },
  }),

  'GET /api/password/set/': publicRoute({
    permission: 'account.link',
    summary: 'Look at the link that sets a new password',
    description: 'It changes nothing. With `Accept: text/html` a page with a form.',
    answer: withPage(PasswordLinkView),
    query: PasswordToken,
    translatedPaths: [],
    handle: async ({ query: { token } }) => ({ username: (await ownerOfPasswordLink(token)).username }),
    representations: {
      'text/html': async ({ query: { token, again }, request: { say, language } }) => {
        const { username } = await ownerOfPasswordLink(token)
        const sentence = again
          ? say('Choose another one: 8 letters or more, not a common one, and unlike your names.')
          : say(phrase(`Choose a new password for ${username}.`))
        return linkPage(language, sentence, say(phrase('Set the password')), 'password')
      },
    },
  }),

  'POST /api/password/set/': publicRoute({
    permission: 'account.link',
    summary: 'Set a new password by the link of a letter',
    description:
      'All sessions end, and the link is used up. Keys stay, unless the address was not verified before: then nothing stays that was made without proof. A browser is sent to the dashboard.',
    answer: { ...ok(DetailView), 303: null },
    translatedPaths: ['detail'],
    query: PasswordToken,
    body: members({ password }),
    urlencoded: true,
    handle: async ({ unit, query: { token }, body, request }) => {
      const user = await ownerOfPasswordLink(token)
      const faults = await passwordFaults(body.password, user)
      if (faults.length > 0 && isBrowser(request))
        return replySeeOther(`${request.path}?token=${encodeURIComponent(token)}&again=1`)
      if (faults.length > 0) throw invalid({ password: faults })
      await resetPassword(unit, user, await hashPassword(body.password))
      if (isBrowser(request)) return replySeeOther(config.CORS_ORIGINS[0] ?? '/')
      return { detail: 'The password is set. You can sign in now.' }
    },
  }),

  'PUT /api/user/password/': actorRoute({
    permission: 'account.change',
    summary: 'Change the own password',
    description: 'All sessions end; the answer holds the tokens of a new one. A letter tells of it. Keys stay.',
    answer: ok(TokensView),
    errors: [409],
    body: members({ old_password: password, password }),
    throttles: [guesses],
    handle: async ({ unit, actor, body, request, count }) => {
      const user = await ownByPassword(count, actor, body.old_password, 'old_password')
      const faults = await passwordFaults(body.password, user)
      if (faults.length > 0) throw invalid({ password: faults })
      const changed = await changePassword(unit, user, await hashPassword(body.password))
      if (!changed) throw signInNeeded()
      if (user.email_verified)
        askForLetter(unit, { sort: 'password_changed', user_id: user.id, email: user.email }, request)
      return issueTokens(unit, changed, request.headers['user-agent'])
    },
  }),

  'POST /api/user/address/': actorRoute({
    permission: 'account.change',
    summary: 'Change the own address',
    description:
      'A letter goes to the new address; it is that of the account once its link is followed, within three days. Where an identity provider signs the person in, it keeps the address.',
    answer: asked,
    errors: [409],
    translatedPaths: ['detail'],
    body: members({ email: emailAddress, password }),
    throttles: [{ ...ownAsks, scope: 'address_letter' }, guesses],
    handle: async ({ unit, actor, body: { email, password }, request, count }) => {
      checkLetters()
      const user = await ownByPassword(count, actor, password, 'password')
      if (!isSendable(email)) throw invalid({ email: ['No letter can be sent to this address.'] })
      askForLetter(unit, { sort: 'new_address', user_id: user.id, email }, request)
      return replyAsked('A letter is on its way to the new address.')
    },
  }),

  'POST /api/user/address/verify/': actorRoute({
    permission: 'account.change',
    summary: 'Ask for the letter that verifies the own address again',
    answer: asked,
    translatedPaths: ['detail'],
    throttles: [{ ...ownAsks, scope: 'verify_letter' }],
    handle: async ({ unit, actor, request }) => {
      checkLetters()
      const user = await own(actor)
      if (user.email_verified) throw impossible('Your address is verified already.')
      askForLetter(unit, { sort: 'verify', user_id: user.id, email: user.email }, request)
      return replyAsked('A letter is on its way to your address.')
    },
  }),

  'GET /api/address/confirm/': publicRoute({
    permission: 'account.link',
    summary: 'Look at the link that proves an address',
    description: 'It changes nothing. With `Accept: text/html` a page with a button.',
    answer: withPage(AddressLinkView),
    query: Token,
    translatedPaths: [],
    handle: async ({ query: { token } }) => addressView(await readAddressLink(token)),
    representations: {
      'text/html': async ({ query: { token }, request: { say, language } }) => {
        const { email, verified } = addressView(await readAddressLink(token))
        return verified
          ? linkPage(language, say(phrase(`${email} is the address of your account.`)))
          : linkPage(language, say(phrase(`Is ${email} your address?`)), say(phrase('Yes, this is my address')))
      },
    },
  }),

  'POST /api/address/confirm/': publicRoute({
    permission: 'account.link',
    summary: 'Prove an address by the link of a letter',
    description: 'The address is that of the account from now on, and signs in. A former address is told.',
    answer: { ...ok(AddressLinkView), 303: null },
    errors: [409],
    query: Token,
    body: members({}),
    urlencoded: true,
    handle: async ({ unit, query: { token }, request }) => {
      const { user, email } = await readAddressLink(token)
      if (user.email_verified && user.email !== email)
        askForLetter(unit, { sort: 'address_changed', user_id: user.id, email: user.email }, request)
      const proven = await proveAddress(unit, user.id, email)
      if (isBrowser(request)) return replySeeOther(`${request.path}?${request.rawQuery}`)
      return addressView({ user: proven ?? user, email })
    },
  }),

  'GET /api/user/sessions/': actorRoute({
    permission: 'session.own',
    summary: 'List where one is signed in',
    description:
      'Each sign-in by a password that can still be renewed, newest first. `last_used_at` is when its tokens were renewed last. Sign-ins by an identity provider are listed there.',
    answer: ok(v.object({ results: v.array(SessionView) })),
    handle: async ({ actor, request }) => {
      const current = sessionIn(request.headers.authorization)
      return { results: (await listSessions(await own(actor))).map((it) => sessionView(it, current)) }
    },
  }),

  'DELETE /api/user/sessions/': actorRoute({
    permission: 'session.own',
    summary: 'Sign out everywhere',
    description: 'All sessions end at once, this one too. Keys stay, and so do sign-ins by an identity provider.',
    answer: empty,
    handle: async ({ unit, actor }) => {
      await endSessions(unit, actor.id)
      return replyNoContent()
    },
  }),

  'DELETE /api/user/sessions/{id}/': actorRoute({
    permission: 'session.own',
    summary: 'End a session',
    answer: empty,
    errors: [404],
    params: ById,
    handle: async ({ unit, actor, params: { id } }) => {
      const found = (await listSessions(await own(actor))).find((it) => it.id === id)
      if (!found) throw notFound()
      await endSession(unit, id)
      return replyNoContent()
    },
  }),
} satisfies Routes

export const handler = endpoint(routes)

function checkLetters(): void {
  if (config.LETTERS_SENDER === '') throw impossible('This service sends no letters.')
}

async function own(actor: Actor): Promise<User> {
  const user = await loadUser(actor.id)
  if (!user) throw signInNeeded()
  return user
}

/** Loads the caller's own user, if the password is theirs. Guesses are counted. Fails with `invalid` for a user without a password. */
async function ownByPassword(count: CountGuesses, actor: Actor, given: string, member: string): Promise<User> {
  const user = await own(actor)
  if (user.password === '') throw impossible('Your identity provider signs you in. Change it there.')
  await checkPassword(count, user, given, member)
  return user
}

const badLink = () => invalid({ token: ['This link is not valid, or not any more.'] })

/** The account whose password a link sets. Fails if the link is old, or if the account has changed since. */
async function ownerOfPasswordLink(token: string): Promise<User> {
  const read = readPasswordToken(token)
  const user = read && (await loadUser(read.user_id))
  if (!user?.is_active || user.token_generation !== read?.generation) throw badLink()
  return user
}

type AddressLink = { user: User; email: string }

/** The account and the address that a link proves. Fails if the link is old, or if the account has changed hands since. */
async function readAddressLink(token: string): Promise<AddressLink> {
  const read = readAddressToken(token)
  const user = read && (await loadUser(read.user_id))
  if (!user?.is_active || !read || user.ownership !== read.ownership) throw badLink()
  return { user, email: read.email }
}

const addressView = ({ user, email }: AddressLink) => ({
  email: maskAddress(email),
  verified: user.email_verified && user.email === email,
})

const isBrowser = ({ headers }: Request) => headers.accept?.includes('text/html') === true
