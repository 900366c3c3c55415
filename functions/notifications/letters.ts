import * as v from 'valibot'
import { config } from '../../lib/base/config.ts'
import { invalid, signInNeeded } from '../../lib/base/errors.ts'
import { languages, phrase } from '../../lib/base/language/languages.ts'
import * as s from '../../lib/base/shapes.ts'
import { isZone } from '../../lib/domain/notifications/mailing.ts'
import { readConfirmToken, readStopToken } from '../../lib/doors/letters/links.ts'
import { linkPage, maskAddress } from '../../lib/doors/letters/page.ts'
import { isSendable } from '../../lib/doors/letters/sendable.ts'
import * as settings from '../../lib/doors/letters/settings.ts'
import { letterModes, obstacles } from '../../lib/doors/letters/settings.ts'
import { ok } from '../../lib/platform/http/answer.ts'

import { choice, line, members } from '../../lib/platform/http/body.ts'
import { MISSING } from '../../lib/platform/http/params.ts'
import { type Reply, replySeeOther } from '../../lib/platform/http/reply.ts'
import { oneClickForm, type Request } from '../../lib/platform/http/request.ts'
import { actorRoute, publicRoute, type Routes } from '../../lib/platform/http/route.ts'
import type { Actor } from '../../lib/platform/permissions.ts'
import { proveAddress } from '../../lib/platform/users/credentials.ts'
import { loadUser, type User } from '../../lib/platform/users/users.ts'

/** Declares an answer that is JSON, or a page if a browser asks. */
const withPage = <S extends s.Schema>(shape: S) => ({ 200: { shape, types: ['text/html'] } }) as const

const wholeHour = 'Give a whole number from 0 to 23.'
const Wanted = members({
  mode: choice(settings.letterModes),
  language: v.exactOptional(v.nullable(choice(languages))),
  hour: v.exactOptional(
    v.pipe(v.number(wholeHour), v.integer(wholeHour), v.minValue(0, wholeHour), v.maxValue(23, wholeHour)),
  ),
  zone: v.exactOptional(v.pipe(line(60), v.check(isZone, 'Give a time zone such as Asia/Kathmandu.'))),
})

const Token = v.object({ token: v.pipe(v.string(MISSING), v.maxLength(1000)) }, MISSING)
/** The form that a mail program sends for its reader (RFC 8058). */
const OneClick = members({ 'List-Unsubscribe': v.optional(line(100)) })

/** A change may send a letter to confirm the address, so changes are limited. */
const changes = {
  scope: 'letters',
  rate: { limit: 20, seconds: 86_400 },
  per: 'caller',
  counts: 'every success',
} as const

/** A person's settings of letters. `obstacle` is the reason why no letters are sent although letters are on. */
const LetterSettingsView = s.shape('LetterSettings', () =>
  v.object({
    mode: s.oneOf(letterModes),
    language: s.maybe(s.oneOf(languages)),
    hour: s.whole,
    zone: s.text,
    email: s.text,
    obstacle: s.maybe(s.oneOf(obstacles)),
  }),
)
/** The page of a link in a letter. The address is shown only in part. */
const LettersStoppedView = s.shape('LettersStopped', () => v.object({ email: s.text, stopped: v.boolean() }))
const AddressConfirmedView = s.shape('AddressConfirmed', () => v.object({ email: s.text, confirmed: v.boolean() }))

/** The caller's settings of letters, and the links in letters, which work without signing in. */
export const letterRoutes = {
  'GET /data/notifications/letters/': actorRoute({
    permission: 'letters.own',
    summary: 'Read how letters are wanted',
    answer: ok(LetterSettingsView),
    handle: async ({ actor }) => settingsView(await settings.loadSettings(actor.id), await own(actor)),
  }),

  'PUT /data/notifications/letters/': actorRoute({
    permission: 'letters.own',
    summary: 'Say how letters are wanted',
    description: [
      '`at_once`: a letter tells what has arrived, five minutes after the last one at the earliest. `daily`: one a day, at `hour` in `zone`.',
      'Letters go to the address of the account once it is confirmed: where a provider has not done that, a first letter asks for it.',
      'A letter tells what is not read yet and what its reader may see when it is sent, and is sent at most once.',
    ].join(' '),
    answer: ok(LetterSettingsView),
    body: Wanted,
    throttles: [{ ...changes, hits: ({ body }: { body: { mode: string } }) => (body.mode === 'off' ? 0 : 1) }],
    handle: async ({ unit, actor, body, request }) => {
      const user = await own(actor)
      if (body.mode !== 'off') checkSendable(user)
      const made = await settings.changeSettings(unit, user, { ...body, origin: request.origin })
      return settingsView(made, user)
    },
  }),

  'GET /data/notifications/letters/stop/': publicRoute({
    permission: 'letters.link',
    summary: 'Look at the link that stops letters',
    description:
      'Every letter has this link; it works without signing in, and changes nothing. With `Accept: text/html` a page with a button.',
    answer: withPage(LettersStoppedView),
    query: Token,
    translatedPaths: [],
    handle: async ({ query }) => stopView(await stoppedBy(query.token)),
    representations: {
      'text/html': async ({ query, request: { say, language } }) => {
        const { email, stopped } = stopView(await stoppedBy(query.token))
        return stopped
          ? linkPage(language, say(`No letters go to ${email}.`))
          : linkPage(language, say(`Letters go to ${email}.`), say(phrase('Stop them')))
      },
    },
  }),

  'POST /data/notifications/letters/stop/': publicRoute({
    permission: 'letters.link',
    summary: 'Stop letters',
    description: 'By the same link, as RFC 8058 has mail programs do it in one click.',
    answer: { ...ok(LettersStoppedView), 303: null },
    query: Token,
    body: OneClick,
    form: oneClickForm,
    urlencoded: true,
    handle: async ({ unit, query, request }) => {
      const found = await stoppedBy(query.token)
      if (isBrowser(request)) return backTo(request, () => settings.stopLetters(unit, found.user.id))
      await settings.stopLetters(unit, found.user.id)
      return stopView({ ...found, wanted: { ...found.wanted, mode: 'off' } })
    },
  }),

  'GET /data/notifications/letters/confirm/': publicRoute({
    permission: 'letters.link',
    summary: 'Look at the link that confirms an address',
    description: 'It is in the letter that asks for it, and good for three days.',
    answer: withPage(AddressConfirmedView),
    query: Token,
    translatedPaths: [],
    handle: async ({ query }) => confirmView(await confirmedBy(query.token)),
    representations: {
      'text/html': async ({ query, request: { say, language } }) => {
        const { email, confirmed } = confirmView(await confirmedBy(query.token))
        return confirmed
          ? linkPage(language, say(`${email} is confirmed: letters go there.`))
          : linkPage(language, say(`Shall letters go to ${email}?`), say(phrase('Yes, this is my address')))
      },
    },
  }),

  'POST /data/notifications/letters/confirm/': publicRoute({
    permission: 'letters.link',
    summary: 'Confirm an address',
    description: 'It is verified from then on: it signs in, too.',
    answer: { ...ok(AddressConfirmedView), 303: null },
    query: Token,
    body: members({}),
    form: oneClickForm,
    urlencoded: true,
    handle: async ({ unit, query, request }) => {
      const { user } = await confirmedBy(query.token)
      await proveAddress(unit, user.id, user.email)
      if (isBrowser(request)) return backTo(request, () => settings.confirmAddress(unit, user))
      const wanted = await settings.confirmAddress(unit, user)
      return confirmView({ user, wanted })
    },
  }),
} satisfies Routes

function checkSendable(user: User): void {
  if (config.LETTERS_SENDER === '') throw invalid({ mode: ['This service sends no letters.'] })
  if (!isSendable(user.email)) throw invalid({ mode: ['No letter can be sent to the address of this account.'] })
}

/** Makes the view of a caller's settings, with the `obstacle` if no letters can be sent. */
const settingsView = (it: settings.LetterSettings, user: User) => ({
  mode: it.mode,
  language: it.language,
  hour: it.hour,
  zone: it.zone,
  email: user.email,
  obstacle: it.mode === 'off' ? null : (settings.obstacleOf(it, user) ?? null),
})

type Linked = { user: User; wanted: settings.LetterSettings }
const stopView = ({ user, wanted }: Linked) => ({ email: maskAddress(user.email), stopped: wanted.mode === 'off' })
const confirmView = ({ user, wanted }: Linked) => ({
  email: maskAddress(user.email),
  confirmed: wanted.confirmed === user.email,
})

const badLink = () => invalid({ token: ['This link is not valid, or not any more.'] })

async function stoppedBy(token: string): Promise<Linked> {
  const user_id = readStopToken(token)
  const user = user_id === undefined ? undefined : await loadUser(user_id)
  if (!user) throw badLink()
  return { user, wanted: await settings.loadSettings(user.id) }
}

/** The user whose address a link confirms. Fails if the account has another address now. */
async function confirmedBy(token: string): Promise<Linked> {
  const found = readConfirmToken(token)
  const user = found && (await loadUser(found.user_id))
  if (!user?.is_active || user.email !== found?.email) throw badLink()
  return { user, wanted: await settings.loadSettings(user.id) }
}

const isBrowser = ({ headers }: Request) => headers.accept?.includes('text/html') === true

/** Does what the form of the page asks for, and redirects the browser to the page. */
async function backTo({ path, rawQuery }: Request, work: () => Promise<unknown>): Promise<Reply<303, undefined>> {
  await work()
  return replySeeOther(`${path}?${rawQuery}`)
}

async function own(actor: Actor): Promise<User> {
  const user = await loadUser(actor.id)
  if (!user) throw signInNeeded()
  return user
}
