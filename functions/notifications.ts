import * as v from 'valibot'
import { notFound } from '../lib/base/errors.ts'
import * as s from '../lib/base/shapes.ts'
import { notificationTypes } from '../lib/domain/notifications/events.ts'
import { listNotifications, loadNotification } from '../lib/domain/notifications/list.ts'
import { markAllRead, markRead } from '../lib/domain/notifications/reading.ts'
import { countUnread } from '../lib/domain/notifications/unread.ts'
import { NotificationView, notificationRow } from '../lib/domain/notifications/view.ts'
import { withTables } from '../lib/doors/exports/list-tables.ts'
import { listOf, ok } from '../lib/platform/http/answer.ts'
import { members, optionalChoice } from '../lib/platform/http/body.ts'
import { endpoint } from '../lib/platform/http/endpoint.ts'
import { listBody } from '../lib/platform/http/page.ts'
import { OptionalBoolean } from '../lib/platform/http/params.ts'
import { actorRoute, type Routes } from '../lib/platform/http/route.ts'
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

const MarkedView = s.shape('Marked', () => v.object({ marked_read: s.whole }))

/** The caller's notifications, read and unread. */
export const routes = withTables({
  'GET /data/notifications/': actorRoute({
    permission: 'notification.own',
    summary: 'List the own notifications',
    description: '`count` is exact up to 100. Beyond, it says how many there are at least; follow `next` to the end.',
    answer: listOf(NotificationView),
    query: Filter,
    translatedPaths: [],
    handle: async ({ query: { is_read, notification_type }, actor, page, request }) => {
      const filter = { is_read, notification_type: notification_type ?? undefined }
      const { people, results, ...listed } = await listNotifications(filter, actor, page)
      return listBody(request, page, {
        ...listed,
        results: results.map((it) => notificationRow(it, people, request.say)),
      })
    },
  }),

  'GET /data/notifications/unread_count/': actorRoute({
    permission: 'notification.own',
    summary: 'Count what is unread',
    description: 'Counts up to 100: the number 100 means "100 or more".',
    answer: ok(v.object({ unread_count: v.number() })),
    handle: async ({ actor }) => ({ unread_count: await countUnread(actor.id) }),
  }),

  'POST /data/notifications/mark_read/': actorRoute({
    permission: 'notification.own',
    summary: 'Mark notifications as read',
    description: 'Without ids, all of them.',
    answer: ok(MarkedView),
    body: Marked,
    handle: async ({ unit, actor, body: { notification_ids: ids } }) => ({
      marked_read: ids.length > 0 ? await markRead(unit, actor.id, ids) : await markAllRead(unit, actor.id),
    }),
  }),

  'POST /data/notifications/mark_all_read/': actorRoute({
    permission: 'notification.own',
    summary: 'Mark all notifications as read',
    description: '`marked_read` counts up to 100: the number 100 means "100 or more".',
    answer: ok(MarkedView),
    handle: async ({ unit, actor }) => ({ marked_read: await markAllRead(unit, actor.id) }),
  }),

  'GET /data/notifications/{id}/': actorRoute({
    permission: 'notification.own',
    summary: 'Read a notification',
    answer: ok(NotificationView),
    params: v.object({ id: v.string() }),
    translatedPaths: [],
    handle: async ({ actor, params: { id }, request }) => {
      const found = await loadNotification(id, actor)
      if (!found) throw notFound()
      return notificationRow(found.notification, found.people, request.say)
    },
  }),
  ...letterRoutes,
} satisfies Routes)

export const handler = endpoint(routes)
