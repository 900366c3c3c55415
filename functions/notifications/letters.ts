import * as v from 'valibot'
import { config, type Rate } from '../../lib/config.ts'
import { invalid, signInNeeded } from '../../lib/errors.ts'
import { answering } from '../../lib/http/answering.ts'
import { choice, line, members } from '../../lib/http/body.ts'
import { MISSING } from '../../lib/http/params.ts'
import { Reply } from '../../lib/http/reply.ts'
import type { Request } from '../../lib/http/request.ts'
import { actorRoute, publicRoute, type Routes } from '../../lib/http/route.ts'
import { throttle } from '../../lib/http/throttle.ts'
import { languages } from '../../lib/language/languages.ts'
import { phrase } from '../../lib/language/phrase.ts'
import { confirmsFor, stopsFor } from '../../lib/letters/links.ts'
import { linkPage, masked } from '../../lib/letters/page.ts'
import * as settings from '../../lib/letters/settings.ts'
import { isZone } from '../../lib/notifications/mailing.ts'
import type { Actor } from '../../lib/permissions.ts'
import { load as loadUser, type User } from '../../lib/users/users.ts'

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
/** What a mail program sends in its reader's name (RFC 8058). */
const OneClick = members({ 'List-Unsubscribe': v.optional(line(100)) })

/** So often someone may change how they want letters, each of which may send a question. */
const OFTEN: Rate = { limit: 20, seconds: 86_400 }

/** How the caller wants letters, and the links in them, which work without signing in. */
export const letterRoutes = {
  'GET /data/notifications/letters/': actorRoute({
    permission: 'letters.own',
    handle: async ({ actor }) => settingsView(await settings.load(actor.id), await own(actor)),
  }),

  'PUT /data/notifications/letters/': actorRoute({
    permission: 'letters.own',
    body: Wanted,
    handle: async ({ actor, body, request }) => {
      const user = await own(actor)
      if (body.mode !== 'off') await checkSendable(user)
      return answering(
        () => settings.change(user, { ...body, origin: request.origin }),
        (made) => settingsView(made, user),
      )
    },
  }),

  'GET /data/notifications/letters/stop/': publicRoute({
    permission: 'letters.link',
    query: Token,
    says: [],
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
    query: Token,
    body: OneClick,
    urlencoded: true,
    handle: async ({ query, request }) => {
      const found = await stoppedBy(query.token)
      if (isBrowser(request)) return backTo(request, () => settings.stop(found.user.id))
      return answering(
        () => settings.stop(found.user.id),
        () => stopView({ ...found, wanted: { ...found.wanted, mode: 'off' } }),
      )
    },
  }),

  'GET /data/notifications/letters/confirm/': publicRoute({
    permission: 'letters.link',
    query: Token,
    says: [],
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
    query: Token,
    body: members({}),
    urlencoded: true,
    handle: async ({ query, request }) => {
      const { user } = await confirmedBy(query.token)
      if (isBrowser(request)) return backTo(request, () => settings.confirm(user))
      return answering(
        () => settings.confirm(user),
        (wanted) => confirmView({ user, wanted }),
      )
    },
  }),
} satisfies Routes

async function checkSendable(user: User): Promise<void> {
  if (config.LETTERS_SENDER === '') throw invalid({ mode: ['This service sends no letters.'] })
  if (!settings.isSendable(user.email))
    throw invalid({ mode: ['No letter can be sent to the address of this account.'] })
  await throttle('letters', user.id, OFTEN)
}

/** What a caller has set; `obstacle` says why no letters come although they are wanted. */
const settingsView = (it: settings.Settings, user: User) => ({
  mode: it.mode,
  language: it.language,
  hour: it.hour,
  zone: it.zone,
  email: user.email,
  obstacle: it.mode === 'off' ? null : (settings.obstacleOf(it, user) ?? null),
})

type Linked = { user: User; wanted: settings.Settings }
const stopView = ({ user, wanted }: Linked) => ({ email: masked(user.email), stopped: wanted.mode === 'off' })
const confirmView = ({ user, wanted }: Linked) => ({
  email: masked(user.email),
  confirmed: wanted.confirmed === user.email,
})

const badLink = () => invalid({ token: ['This link is not valid, or not any more.'] })

async function stoppedBy(token: string): Promise<Linked> {
  const user_id = stopsFor(token)
  const user = user_id === undefined ? undefined : await loadUser(user_id)
  if (!user) throw badLink()
  return { user, wanted: await settings.load(user.id) }
}

/** Fails for an address that the account has no more. */
async function confirmedBy(token: string): Promise<Linked> {
  const found = confirmsFor(token)
  const user = found && (await loadUser(found.user_id))
  if (!user?.is_active || user.email !== found?.email) throw badLink()
  return { user, wanted: await settings.load(user.id) }
}

const isBrowser = ({ headers }: Request) => headers.accept?.includes('text/html') === true

/** Does what the form of the page asks for; a browser reads the page anew. */
async function backTo({ path, rawQuery }: Request, work: () => Promise<unknown>): Promise<Reply> {
  await work()
  return new Reply(303, undefined, { location: `${path}?${rawQuery}` })
}

async function own(actor: Actor): Promise<User> {
  const user = await loadUser(actor.id)
  if (!user) throw signInNeeded()
  return user
}
