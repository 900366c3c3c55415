import * as v from 'valibot'
import { calendarKeys } from '../../../lib/calendars/keys.ts'
import { languages } from '../../../lib/language/languages.ts'
import { letterModes, obstacles } from '../../../lib/letters/settings.ts'
import { notificationTypes } from '../../../lib/notifications/events.ts'
import { ranks } from '../../../lib/permissions.ts'
import { maybe, oneOf, text, time, uuid, whole } from './common.ts'

/** Tokens, accounts, profiles, notifications. */

export const Tokens = v.object({ access: text, refresh: text })
export const Registered = v.object({
  message: text,
  user: v.object({ id: uuid, username: text, email: text, first_name: text, last_name: text }),
  profile: v.object({ organization: text, position: text, birth_date: maybe(text), university_school: text }),
})
export const Account = v.object({
  id: uuid,
  username: text,
  email: text,
  groups: v.array(text),
  is_staff: v.boolean(),
  is_superuser: v.boolean(),
  reviewer_role: maybe(
    v.object({
      role: oneOf(ranks),
      is_active: v.boolean(),
      can_override_confidence: v.boolean(),
      can_resolve_conflicts: v.boolean(),
      can_manage_roles: v.boolean(),
    }),
  ),
  reviewer_application: maybe(
    v.object({ id: uuid, status: oneOf(['pending', 'approved', 'rejected']), message: text, created_at: time }),
  ),
})
export const Profile = v.object({
  user_id: uuid,
  slug: uuid,
  username: text,
  email: text,
  first_name: text,
  middle_name: text,
  last_name: text,
  biography: text,
  area_of_expertise: text,
  country: text,
  organization: text,
  position: text,
  university_school: text,
  social_links: v.record(v.string(), text),
  website_link: text,
  contributor_mode: oneOf(['basic', 'advanced']),
  score: v.number(),
  member_since: text,
  profile_image: maybe(text),
  avatar_url: text,
  organizations: v.array(v.unknown()),
  language: v.optional(oneOf(['', ...languages])),
  calendar: v.optional(oneOf(['', ...calendarKeys])),
})
export const Notification = v.object({
  notification_id: text,
  user: uuid,
  notification_type: oneOf(notificationTypes),
  message: text,
  link: text,
  is_read: v.boolean(),
  entity_id: maybe(uuid),
  entity_name: text,
  entity_category: text,
  actor_username: text,
  actor_display_name: text,
  project: maybe(text),
  submission: v.null(),
  created_at: time,
})
export const Marked = v.object({ marked_read: whole })

/** How someone wants letters. `obstacle`: why none come although they are wanted. */
export const LetterSettings = v.object({
  mode: oneOf(letterModes),
  language: maybe(oneOf(languages)),
  hour: whole,
  zone: text,
  email: text,
  obstacle: maybe(oneOf(obstacles)),
})
/** What a link in a letter leads to; the address is shown in part. */
export const LettersStopped = v.object({ email: text, stopped: v.boolean() })
export const AddressConfirmed = v.object({ email: text, confirmed: v.boolean() })
