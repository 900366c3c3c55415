import type { Say } from '../language/catalogue.ts'
import { type PeopleById, service } from '../users/people.ts'
import { wordsOf } from './events.ts'
import type { Shown } from './list.ts'

/** A notification as its reader sees it. Of a record that they may see no longer, nothing is said. */
export function notificationRow(
  { notification, is_read, about, on }: Shown,
  people: PeopleById,
  say: Say,
): Record<string, unknown> {
  const { notification_id, user_id, notification_type, notice, detail, actor_id, created_at } = notification
  const { username, first_name, last_name } = people(actor_id) ?? service
  return {
    notification_id,
    user: user_id,
    notification_type,
    ...wordsOf(notice, { detail, about, on }, say),
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
