import { listRecordActivities, loadActivity } from '../../lib/domain/records/activities.ts'
import { ActivityQuery } from '../../lib/domain/records/queries.ts'
import { ActivityView, activityView } from '../../lib/domain/records/views/entity.ts'
import { listOf, ok } from '../../lib/platform/http/answer.ts'
import { listBody } from '../../lib/platform/http/page.ts'
import { ById } from '../../lib/platform/http/params.ts'
import { listRoute, type Routes, readRoute } from '../../lib/platform/http/route.ts'
import { peopleIn, peopleOf } from '../../lib/platform/users/people.ts'

/** Activities on records, newest first: of everyone, or of one person. */
export const activities = {
  'GET /data/activities/': listRoute({
    permission: 'activity.list',
    summary: 'List what happens, newest first',
    answer: listOf(ActivityView),
    query: ActivityQuery,
    handle: async ({ query, actor, page, request }) => {
      const feed = await listRecordActivities({ ...query, ...query.ordering }, actor, page)
      const people = peopleIn(feed.found)
      const results = feed.results.map(({ activity, about }) => activityView(activity, people, about, actor))
      return listBody(request, page, { ...feed, results })
    },
  }),

  'GET /data/activities/{id}/': readRoute({
    permission: 'activity.read',
    summary: 'Read something that happened',
    answer: ok(ActivityView),
    params: ById,
    subject: ({ id }) => loadActivity(id),
    handle: async ({ subject: { activity, about }, actor }) =>
      activityView(activity, await peopleOf([activity.user_id]), about, actor),
  }),
} satisfies Routes
