import * as v from 'valibot'
import type { Say } from '../../base/language/catalogue.ts'
import * as s from '../../base/shapes.ts'
import { type PeopleById, serviceCard } from '../../platform/users/people.ts'
import { notificationTypes, writeNotice } from './events.ts'
import type { VisibleNotification } from './list.ts'

export const NotificationView = s.shape('Notification', () =>
  v.object({
    notification_id: s.text,
    user: s.uuid,
    notification_type: s.oneOf(notificationTypes),
    message: s.text,
    link: s.text,
    is_read: v.boolean(),
    entity_id: s.maybe(s.uuid),
    entity_name: s.text,
    entity_category: s.text,
    actor_username: s.text,
    actor_display_name: s.text,
    project: s.maybe(s.text),
    submission: v.null(),
    created_at: s.time,
  }),
)

/** A notification in the language of its reader. A record or project that they may not see any more is not named. */
export function notificationRow(
  { message, is_read, about, on }: VisibleNotification,
  people: PeopleById,
  say: Say,
): s.Output<typeof NotificationView> {
  const { notification_id, user_id, notification_type, notice, detail, actor_id, created_at } = message
  const { username, first_name, last_name } = people(actor_id) ?? serviceCard
  return {
    notification_id,
    user: user_id,
    notification_type,
    ...writeNotice(notice, { detail, about, on }, say),
    is_read,
    entity_id: about?.entity_id ?? null,
    entity_name: about?.name ?? '',
    entity_category: about?.category ?? '',
    actor_username: username,
    actor_display_name: `${first_name} ${last_name}`.trim() || username,
    project: on?.slug ?? null,
    submission: null,
    created_at,
  }
}
