import '../lib/domain/composition.ts'
import { createHash } from 'node:crypto'
import * as v from 'valibot'
import { invalid, notFound } from '../lib/base/errors.ts'
import { phrase } from '../lib/base/language/languages.ts'
import { listSeenChanges } from '../lib/domain/watches/changes.ts'
import { type Watch, watchSorts } from '../lib/domain/watches/items.ts'
import { readFeedToken, readStopWatchingToken } from '../lib/domain/watches/links.ts'
import {
  loadWatchedThings,
  WatchingStoppedView,
  WatchView,
  watchedName,
  watchView,
} from '../lib/domain/watches/view.ts'
import { beginWatch, endWatches, loadWatch, loadWatches } from '../lib/domain/watches/watches.ts'
import { ATOM, atomFeed } from '../lib/doors/atom/feed.ts'
import { linkPage } from '../lib/doors/letters/page.ts'
import { creation, empty, ok } from '../lib/platform/http/answer.ts'
import { choice, line, members } from '../lib/platform/http/body.ts'
import { endpoint } from '../lib/platform/http/endpoint.ts'
import { ById, MISSING } from '../lib/platform/http/params.ts'
import { replyContent, replyCreated, replyNoContent, replySeeOther } from '../lib/platform/http/reply.ts'
import { oneClickForm, type Request } from '../lib/platform/http/request.ts'
import { actorRoute, publicRoute, type Routes } from '../lib/platform/http/route.ts'
import type { Actor } from '../lib/platform/permissions.ts'
import { loadUser } from '../lib/platform/users/users.ts'

const NewWatch = members({
  what: choice(watchSorts),
  about: v.pipe(line(300), v.trim(), v.nonEmpty('This field may not be blank.')),
})
const Token = v.object({ token: v.pipe(v.string(MISSING), v.maxLength(1000)) }, MISSING)
/** The form that a mail program sends for its reader (RFC 8058). */
const OneClick = members({ 'List-Unsubscribe': v.optional(line(100)) })

/** Watches: what people follow, and the feeds and links that work without signing in. */
export const routes = {
  'GET /data/watches/': actorRoute({
    permission: 'watch.own',
    summary: 'List what one watches',
    description:
      'At most 49 things, as many as one transaction ends. `feed_url` is for readers of Atom feeds; whoever has it reads the feed.',
    answer: ok(v.object({ results: v.array(WatchView) })),
    translatedPaths: [],
    handle: async ({ actor, request }) => ({
      results: await viewWatches((await loadWatches(actor.id)).watches, actor, request),
    }),
  }),

  'POST /data/watches/': actorRoute({
    permission: 'watch.own',
    summary: 'Watch something',
    description: [
      '`about` is a review identity for a `record` or a `place` (a location, which stands for the records that name it), the id of a',
      '`source`, the key of a `kind`, or the words of a `search`. Once a day a bulletin tells as notices, and as a letter if letters are',
      'wanted, which public records have changed.',
    ].join(' '),
    answer: creation(WatchView),
    translatedPaths: [],
    body: NewWatch,
    idempotent: '24h',
    throttles: [{ scope: 'watches', rate: { limit: 200, seconds: 86_400 }, per: 'caller', counts: 'every success' }],
    handle: async ({ unit, actor, body: { what, about }, request }) => {
      const made = await beginWatch(unit, actor, { what, about: what === 'search' ? about : about.toLowerCase() })
      const [view] = await viewWatches([made], actor, request)
      if (!view) throw notFound()
      return replyCreated(view)
    },
  }),

  'DELETE /data/watches/{id}/': actorRoute({
    permission: 'watch.own',
    summary: 'Stop watching something',
    answer: empty,
    errors: [404],
    params: ById,
    handle: async ({ unit, actor, params: { id } }) => {
      if (!(await loadWatch(actor.id, id))) throw notFound()
      await endWatches(unit, actor.id, (it) => it.id === id)
      return replyNoContent()
    },
  }),

  'GET /data/watches/feed/': publicRoute({
    permission: 'watch.link',
    summary: 'Read the changes of a watched thing as an Atom feed',
    description:
      'The address is that of `feed_url`. Of each public record its latest change since the watch began, newest first.',
    answer: { 200: { types: [ATOM], etag: true } },
    errors: [404],
    query: Token,
    handle: async ({ query: { token }, request }) => feedOf(await watchOfToken(token), request),
  }),

  'GET /data/watches/stop/': publicRoute({
    permission: 'watch.link',
    summary: 'Look at the link that stops watching',
    description: 'It works without signing in, and changes nothing. With `Accept: text/html` a page with a button.',
    answer: { 200: { shape: WatchingStoppedView, types: ['text/html'] } },
    query: Token,
    translatedPaths: [],
    handle: async ({ query: { token } }) => ({ stopped: (await watchesOfToken(token)).watches.length === 0 }),
    representations: {
      'text/html': async ({ query: { token }, request: { say, language } }) =>
        (await watchesOfToken(token)).watches.length === 0
          ? linkPage(language, say('This is not watched any more.'))
          : linkPage(language, say('Notices of changes come once a day.'), say(phrase('Stop them'))),
    },
  }),

  'POST /data/watches/stop/': publicRoute({
    permission: 'watch.link',
    summary: 'Stop watching by a link',
    description: 'One watch, or by the link in a letter all of them. As RFC 8058 has mail programs do it in one click.',
    answer: { ...ok(WatchingStoppedView), 303: null },
    query: Token,
    body: OneClick,
    form: oneClickForm,
    urlencoded: true,
    handle: async ({ unit, query: { token }, request }) => {
      const { user_id, isMeant } = await watchesOfToken(token)
      await endWatches(unit, user_id, isMeant)
      if (request.headers.accept?.includes('text/html')) return replySeeOther(`${request.path}?${request.rawQuery}`)
      return { stopped: true }
    },
  }),
} satisfies Routes

export const handler = endpoint(routes)

async function viewWatches(watches: readonly Watch[], actor: Actor, { origin, say }: Request) {
  const found = await loadWatchedThings(watches)
  return watches.map((it) => watchView(it, watchedName(it, found, { actor, say }), origin))
}

const badLink = () => invalid({ token: ['This link is not valid, or not any more.'] })

/** The watch whose feed a token opens. Fails with `notFound` once the watch has ended, so that readers of feeds give the feed up. */
async function watchOfToken(token: string): Promise<Watch> {
  const linked = readFeedToken(token)
  if (!linked) throw badLink()
  const [found, user] = await Promise.all([loadWatch(linked.user_id, linked.id), loadUser(linked.user_id)])
  if (!found || !user?.is_active) throw notFound()
  return found
}

/** The watches that a token stops. `isMeant` tests whether a watch is one of them. */
async function watchesOfToken(token: string) {
  const linked = readStopWatchingToken(token)
  if (!linked) throw badLink()
  const isMeant = ({ id }: Watch) => linked.id === undefined || id === linked.id
  const { watches } = await loadWatches(linked.user_id)
  return { user_id: linked.user_id, isMeant, watches: watches.filter(isMeant) }
}

/** The feed of a watch. It names only what everyone may read, the watched thing too. */
async function feedOf(it: Watch, { origin, path, rawQuery, language, say }: Request) {
  const [changes, found] = await Promise.all([listSeenChanges([it]), loadWatchedThings([it])])
  const name = watchedName(it, found, { actor: null, say })
  const head = {
    id: it.id,
    title: name ?? say('Something that you watch'),
    author: say('Heritage knowledge service'),
    self: `${origin}${path}?${rawQuery}`,
    updated: it.created_at,
    language,
    origin,
  }
  const text = atomFeed(head, changes, ({ change }) =>
    say(change === 'created' ? 'It is public now.' : 'It has changed.'),
  )
  const etag = `"${createHash('sha256').update(text).digest('base64url').slice(0, 16)}"`
  return replyContent(text, `${ATOM}; charset=utf-8`, { etag, 'content-language': language })
}
