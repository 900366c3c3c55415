import { activityOf, collectionView, isPage, PAGE, pageView } from '../lib/changes/activity.ts'
import { ByNumber, FeedQuery } from '../lib/changes/queries.ts'
import { changeAt, changesAfter, lastNumber } from '../lib/changes/read.ts'
import { changeView, withThings } from '../lib/changes/view.ts'
import { invalid, notFound } from '../lib/errors.ts'
import { endpoint } from '../lib/http/endpoint.ts'
import { Reply } from '../lib/http/reply.ts'
import { publicRoute, type Routes } from '../lib/http/route.ts'

const ACTIVITY = 'application/activity+json'

/** What has become of public records, in order and without gaps: for mirrors, harvesters and archives. */
export const routes = {
  'GET /data/changes/': publicRoute({
    permission: 'feed.read',
    query: FeedQuery,
    handle: async ({ query: { after, limit, kind, include }, request }) => {
      const last = await lastNumber()
      if (after > last) throw invalid({ after: [`There is no such change: the last one has the number ${last}.`] })
      const entries = await changesAfter(after, limit)
      const until = entries.at(-1)?.number ?? after
      const wanted = entries.filter((it) => kind === undefined || it.kind === kind)
      const next = new URL('/data/changes/', request.origin)
      for (const [name, value] of Object.entries({ after: until, limit, kind, include }))
        if (value !== undefined) next.searchParams.set(name, String(value))
      return {
        ...{ after, until, last, next: until < last ? next.href : null },
        changes: include
          ? await withThings(wanted, request.origin)
          : wanted.map((it) => changeView(it, request.origin)),
      }
    },
  }),

  'GET /data/changes/activity/': publicRoute({
    permission: 'feed.read',
    handle: async ({ request }) => activity(collectionView(await lastNumber(), request.origin)),
  }),

  'GET /data/changes/activity/{number}/': publicRoute({
    permission: 'feed.read',
    params: ByNumber,
    handle: async ({ params: { number }, request }) => {
      const last = await lastNumber()
      if (!isPage(number, last)) throw notFound()
      return activity(pageView(number, last, await changesAfter((number - 1) * PAGE, PAGE), request.origin))
    },
  }),

  'GET /data/changes/{number}/': publicRoute({
    permission: 'feed.read',
    params: ByNumber,
    handle: async ({ params: { number }, request }) => {
      const found = await changeAt(number)
      if (!found) throw notFound()
      return activity({
        '@context': 'http://iiif.io/api/discovery/1/context.json',
        ...activityOf(found, request.origin),
      })
    },
  }),
} satisfies Routes

export const handler = endpoint(routes)

const activity = (body: object) => new Reply(200, body, { 'content-type': ACTIVITY })
