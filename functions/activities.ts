import { withTables } from '../lib/exports/list-tables.ts'
import { endpoint } from '../lib/http/endpoint.ts'
import { listBody } from '../lib/http/page.ts'
import { ById } from '../lib/http/params.ts'
import { listRoute, type Routes, readRoute } from '../lib/http/route.ts'
import * as activities from '../lib/records/activities.ts'
import { ActivityQuery } from '../lib/records/queries.ts'
import { activityView } from '../lib/records/views/entity.ts'
import { peopleIn, peopleOf } from '../lib/users/people.ts'

/** What happens, newest first: of everyone, or of one person. */
export const routes = withTables({
  'GET /data/activities/': listRoute({
    permission: 'activity.list',
    query: ActivityQuery,
    handle: async ({ query, actor, page, request }) => {
      const feed = await activities.list({ ...query, ...query.ordering }, actor, page)
      const people = peopleIn(feed.found)
      const results = feed.results.map(({ activity, about }) => activityView(activity, people, about, actor))
      return listBody(request, page, { ...feed, results })
    },
  }),

  'GET /data/activities/{id}/': readRoute({
    permission: 'activity.read',
    params: ById,
    subject: ({ id }) => activities.load(id),
    handle: async ({ subject: { activity, about }, actor }) =>
      activityView(activity, await peopleOf([activity.user_id]), about, actor),
  }),
} satisfies Routes)

export const handler = endpoint(routes)
