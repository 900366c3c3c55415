import { invalid, notFound } from '../lib/base/errors.ts'
import type { Schema } from '../lib/base/shapes.ts'
import { mapWithinBudget } from '../lib/base/telemetry/budget.ts'
import type { FeedEntry } from '../lib/domain/feed/items.ts'
import { ByNumber, FeedQuery } from '../lib/domain/feed/queries.ts'
import { listChangesAfter, loadChange, loadLastNumber } from '../lib/domain/feed/read.ts'
import { ChangesView, changeView } from '../lib/domain/feed/view.ts'
import {
  activityOf,
  ChangeActivityView,
  ChangeCollectionView,
  ChangePageView,
  collectionView,
  isPage,
  PAGE,
  pageView,
} from '../lib/doors/activity-streams/pages.ts'
import { ok } from '../lib/platform/http/answer.ts'
import { endpoint } from '../lib/platform/http/endpoint.ts'
import { Reply } from '../lib/platform/http/reply.ts'
import { publicRoute, type Routes } from '../lib/platform/http/route.ts'

const ACTIVITY = 'application/activity+json'
/** Changes whose records are read together. */
const CHANGES_IN_PART = 10
const activityOfShape = <S extends Schema>(shape: S) => ({ 200: { also: { [ACTIVITY]: shape } } }) as const

/** Changes of public records, in order and without gaps, for mirrors, harvesters and archives. */
export const routes = {
  'GET /data/changes/': publicRoute({
    permission: 'feed.read',
    summary: 'Read what has become of public records',
    description: [
      'In order and without gaps: follow `next`, keep `until`, and go on later with `after`. A record that nobody but insiders',
      'may read any more is `withdrawn`; records that are held to be one thing are `merged`, or `separated` again.',
      'With `include=record` each change carries what the record is now, null once it is withdrawn: whoever puts that in',
      'place of what it has, in this order, ends with an equal copy. A page of large records has fewer changes than `limit`.',
    ].join(' '),
    answer: ok(ChangesView),
    query: FeedQuery,
    handle: async ({ query: { after, limit, kind, include }, request }) => {
      const last = await loadLastNumber()
      if (after > last) throw invalid({ after: [`There is no such change: the last one has the number ${last}.`] })
      const entries = await listChangesAfter(after, limit)
      const show = async (part: readonly FeedEntry[]) => {
        const changes = part.filter((it) => kind === undefined || it.kind === kind)
        if (!include) return changes.map((it) => changeView(it, request.origin))
        // Most readers ask for addresses alone, so the code of records is loaded only here.
        const { withThings } = await import('../lib/domain/feed/things.ts')
        return withThings(changes, request.origin)
      }
      const { results: changes, done } = await mapWithinBudget(entries, CHANGES_IN_PART, show)
      const until = entries.at(done - 1)?.number ?? after
      const next = new URL('/data/changes/', request.origin)
      for (const [name, value] of Object.entries({ after: until, limit, kind, include }))
        if (value !== undefined) next.searchParams.set(name, String(value))
      return { after, until, last, next: until < last ? next.href : null, changes }
    },
  }),

  'GET /data/changes/activity/': publicRoute({
    permission: 'feed.read',
    summary: 'Begin to read the changes as ActivityStreams',
    description:
      'IIIF Change Discovery 1.0: the oldest change is the first on the first page, and a full page never changes again.',
    answer: activityOfShape(ChangeCollectionView),
    handle: async ({ request }) => activity(collectionView(await loadLastNumber(), request.origin)),
  }),

  'GET /data/changes/activity/{number}/': publicRoute({
    permission: 'feed.read',
    summary: 'Read a page of changes as ActivityStreams',
    answer: activityOfShape(ChangePageView),
    params: ByNumber,
    handle: async ({ params: { number }, request }) => {
      const last = await loadLastNumber()
      if (!isPage(number, last)) throw notFound()
      return activity(pageView(number, last, await listChangesAfter((number - 1) * PAGE, PAGE), request.origin))
    },
  }),

  'GET /data/changes/{number}/': publicRoute({
    permission: 'feed.read',
    summary: 'Read one change as an activity',
    answer: activityOfShape(ChangeActivityView),
    params: ByNumber,
    handle: async ({ params: { number }, request }) => {
      const found = await loadChange(number)
      if (!found) throw notFound()
      return activity({
        '@context': 'http://iiif.io/api/discovery/1/context.json',
        ...activityOf(found, request.origin),
      })
    },
  }),
} satisfies Routes

export const handler = endpoint(routes)

const activity = <Body>(body: Body) => new Reply(200, body, { 'content-type': ACTIVITY })
