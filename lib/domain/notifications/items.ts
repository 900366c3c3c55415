import * as v from 'valibot'
import { clock } from '../../base/clock.ts'
import { firstIdAt } from '../../base/ids/notification-id.ts'
import { commitPlan } from '../../engines/table/immediate.ts'
import { defineItem, itemIn, type Plan, type Stored, type UnitOfWork } from '../../engines/table/index.ts'
import { key } from '../../platform/table/keys.ts'
import { type NoticeName, notices, notificationTypes } from './events.ts'
import { Mailing } from './mailing.ts'

/** Seconds for which notifications and announcements are kept, shown and counted: 180 days. */
const LIFETIME = 180 * 24 * 3600

/** The members that notifications and announcements have in common. */
export const messageMembers = {
  notification_id: v.string(),
  notification_type: v.picklist(notificationTypes),
  notice: v.custom<NoticeName>((it) => typeof it === 'string' && it in notices),
  /** The id of the event that caused it. */
  event: v.string(),
  /** Null: the service itself. */
  actor_id: v.nullable(v.string()),
  entity_id: v.nullable(v.string()),
  project_id: v.optional(v.nullable(v.string()), null),
  detail: v.string(),
  created_at: v.string(),
  version: v.number(),
}
const Message = v.object(messageMembers)
export type Message = v.InferOutput<typeof Message>

export const Notification = v.object({
  ...messageMembers,
  user_id: v.string(),
  is_read: v.boolean(),
  /** Its ordinal among the notifications of its user, in the order in which they were stored. */
  arrival: v.number(),
})
export type Notification = v.InferOutput<typeof Notification>

/** The index partition of someone's notifications, or of those of one type. */
export const notificationsOf = (user: string, type?: string) =>
  `NOTIFICATION#${user}${type === undefined ? '' : `#${type}`}`
/** The index partition of a person's notifications with `is_read: false`. Marking all as read leaves them in it. */
export const unmarkedOf = (user: string) => `NOTIFICATION#${user}#UNREAD`
/** An ordinal as text that sorts like the number. */
export const arrivalKey = (n: number) => String(n).padStart(12, '0')

/** When the table drops a message, in seconds since 1970. */
export const expiryOf = (it: { created_at: string }) => Math.floor(Date.parse(it.created_at) / 1000) + LIFETIME
/** Every id below this one has expired, whether the table has dropped it or not. */
export const oldestId = () => firstIdAt(clock.now().getTime() - LIFETIME * 1000)
export const isLiving = (it: { notification_id: string }) => it.notification_id >= oldestId()

export const notification = defineItem({
  type: 'notification',
  schema: Notification,
  key: (it: { user_id: string; notification_id: string }) => key.notification(it.user_id, it.notification_id),
  indexes: (it) => ({
    ...(!it.is_read && { gsi2: { pk: unmarkedOf(it.user_id), sk: arrivalKey(it.arrival) } }),
    gsi3: { pk: notificationsOf(it.user_id), sk: it.notification_id },
    gsi4: { pk: notificationsOf(it.user_id, it.notification_type), sk: it.notification_id },
  }),
  expires: expiryOf,
})

/** A time in which a person reviewed. */
export const ReviewSpan = v.object({
  /** When it began, ISO 8601. Earlier events are not for this person. */
  since: v.string(),
  /** The id of the last announcement of this time; null while it lasts. */
  through: v.nullable(v.string()),
})
export type ReviewSpan = v.InferOutput<typeof ReviewSpan>

/** The part of an inbox that is about announcements. Its members hold ids of announcements; `''` sorts before all ids. */
export const AnnouncedTo = v.object({
  spans: v.array(ReviewSpan),
  /** All announcements up to this id are read. Those read beyond it have a read mark each. */
  read_through: v.string(),
  /** All announcements up to this id were in a letter, or need none. */
  told_through: v.string(),
})
export type AnnouncedTo = v.InferOutput<typeof AnnouncedTo>

/** Whether the owner of the inbox reviews at present. The projector updates this shortly after a change of the role. */
export const isReviewing = (it: Pick<AnnouncedTo, 'spans'> | undefined): boolean => it?.spans.at(-1)?.through === null

const Inbox = v.object({
  user_id: v.string(),
  /** How many notifications have ever arrived. */
  arrived: v.number(),
  /** Every notification up to this ordinal is read. */
  read_through: v.number(),
  /** Absent if the person has never reviewed. */
  announced: v.optional(AnnouncedTo),
  /** Absent if the person wants no letters. */
  mailing: v.optional(Mailing),
  version: v.number(),
})
export type Inbox = v.InferOutput<typeof Inbox>
export const inbox = defineItem({
  type: 'inbox',
  schema: Inbox,
  key: ({ user_id }: { user_id: string }) => key.inbox(user_id),
  indexes: ({ announced, mailing, user_id }) => ({
    ...(mailing?.due_at && { gsi2: { pk: DUE, sk: `${mailing.due_at}#${user_id}` } }),
    ...(mailing?.due_at === null &&
      announced &&
      isReviewing(announced) && { gsi4: { pk: WAITING, sk: `${announced.told_through}#${user_id}` } }),
  }),
})
/** The index partition of inboxes for which a letter is due, ordered by the time when it is due. */
export const DUE = 'INBOX#DUE'
/** The inboxes of reviewers who want letters and have none due, ordered by the last announcement that a letter held. */
export const WAITING = 'INBOX#REVIEWERS'

/** An inbox before the first notification arrives. */
export const emptyInbox = (user_id: string): Inbox => ({ user_id, arrived: 0, read_through: 0, version: 0 })

export const isRead = (it: Notification, box: Inbox | undefined) => it.is_read || it.arrival <= (box?.read_through ?? 0)

/** The user's notification with this id. Undefined if it was not found or has expired. */
export function livingIn(found: ReadonlyMap<string, Stored>, user_id: string, id: string): Notification | undefined {
  const it = itemIn(found, notification, { user_id, notification_id: id })
  return it && isLiving(it) ? it : undefined
}

/** Attempts to write an inbox. Many writers share one inbox: its owner, and each event that notifies the owner. */
const ATTEMPTS = 20

/** Runs a plan that writes an inbox in a unit of work of its own. Runs it again if another writer was faster. */
export const changeInbox = <T>(plan: () => Promise<Plan<T>>): Promise<T> => commitPlan(plan, ATTEMPTS)

/** Makes a unit of work that writes an inbox run again if another writer was faster. */
export const retryInbox = (unit: UnitOfWork): void => unit.retryOn('conflict', ATTEMPTS)
