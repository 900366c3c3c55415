import * as v from 'valibot'
import type { routes } from '../../../functions/notifications.ts'
import { type Answers, ok, page } from '../answer.ts'
import { Marked, Notification } from '../shapes/account.ts'

export const notifications: Answers<typeof routes> = {
  'GET /data/notifications/': { says: 'List the own notifications', gives: page(Notification) },
  'GET /data/notifications/unread_count/': {
    says: 'Count what is unread',
    gives: ok(v.object({ unread_count: v.number() })),
  },
  'POST /data/notifications/mark_read/': {
    says: 'Mark notifications as read',
    more: 'Without ids, all of them.',
    gives: ok(Marked),
  },
  'POST /data/notifications/mark_all_read/': { says: 'Mark all notifications as read', gives: ok(Marked) },
  'GET /data/notifications/{id}/': { says: 'Read a notification', gives: ok(Notification) },
}
