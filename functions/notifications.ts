import * as v from 'valibot'
import { notFound } from '../lib/errors.ts'
import { withTables } from '../lib/exports/list-tables.ts'
import { members, optionalChoice } from '../lib/http/body.ts'
import { endpoint } from '../lib/http/endpoint.ts'
import { listBody } from '../lib/http/page.ts'
import { OptionalBoolean } from '../lib/http/params.ts'
import { actorRoute, type Routes } from '../lib/http/route.ts'
import { notificationTypes } from '../lib/notifications/events.ts'
import { list, load } from '../lib/notifications/list.ts'
import { markAllRead, markRead, unreadOf } from '../lib/notifications/reading.ts'
import { notificationRow } from '../lib/notifications/view.ts'
import { letterRoutes } from './notifications/letters.ts'

const Filter = v.object({
  is_read: OptionalBoolean,
  notification_type: optionalChoice(notificationTypes),
})

const Marked = members({
  notification_ids: v.nullish(
    v.pipe(
      v.array(v.string('Give a list of texts.'), 'Give a list of texts.'),
      v.maxLength(1000, 'Give no more than 1000 of them.'),
    ),
    [],
  ),
})

/** What the caller has been told, and what of it is read. */
export const routes = withTables({
  'GET /data/notifications/': actorRoute({
    permission: 'notification.own',
    query: Filter,
    says: [],
    handle: async ({ query: { is_read, notification_type }, actor, page, request }) => {
      const filter = { is_read, notification_type: notification_type ?? undefined }
      const { people, results, ...listed } = await list(filter, actor, page)
      return listBody(request, page, {
        ...listed,
        results: results.map((it) => notificationRow(it, people, request.say)),
      })
    },
  }),

  'GET /data/notifications/unread_count/': actorRoute({
    permission: 'notification.own',
    handle: async ({ actor }) => ({ unread_count: await unreadOf(actor) }),
  }),

  // No ids mean all of them.
  'POST /data/notifications/mark_read/': actorRoute({
    permission: 'notification.own',
    body: Marked,
    handle: async ({ actor, body: { notification_ids: ids } }) => ({
      marked_read: ids.length > 0 ? await markRead(actor.id, ids) : await markAllRead(actor.id),
    }),
  }),

  'POST /data/notifications/mark_all_read/': actorRoute({
    permission: 'notification.own',
    handle: async ({ actor }) => ({ marked_read: await markAllRead(actor.id) }),
  }),

  'GET /data/notifications/{id}/': actorRoute({
    permission: 'notification.own',
    params: v.object({ id: v.string() }),
    says: [],
    handle: async ({ actor, params: { id }, request }) => {
      const found = await load(id, actor)
      if (!found) throw notFound()
      return notificationRow(found.shown, found.people, request.say)
    },
  }),
  ...letterRoutes,
} satisfies Routes)

export const handler = endpoint(routes)
