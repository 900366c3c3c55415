import * as v from 'valibot'
import { clock } from '../clock.ts'
import { firstIdAt } from '../ids/notification-id.ts'
import { defineItem } from '../table/item.ts'
import { key } from '../table/keys.ts'
import { itemIn, type Stored } from '../table/read.ts'
import { type Plan, retryOnConflict } from '../table/retry.ts'
import { type NoticeName, notices, notificationTypes } from './events.ts'
import { Mailing } from './mailing.ts'
import { Announced, isReviewing } from './places.ts'

/**
 * What people are told. A notification is stored once, however often its event is heard, and kept for 180 days. The
 * inbox beside them knows how many are unread, and that everything which had arrived by some moment is read.
 */
const LIFETIME = 180 * 24 * 3600

/** What a notice says, whoever reads it. */
export const told = {
  notification_id: v.string(),
  notification_type: v.picklist(notificationTypes),
  notice: v.custom<NoticeName>((it) => typeof it === 'string' && it in notices),
  /** What it tells of. */
  event: v.string(),
  /** Null: the service itself. */
  actor_id: v.nullable(v.string()),
  entity_id: v.nullable(v.string()),
  project_id: v.optional(v.nullable(v.string()), null),
  detail: v.string(),
  created_at: v.string(),
  version: v.number(),
}
const Told = v.object(told)
export type Told = v.InferOutput<typeof Told>

export const Notification = v.object({
  ...told,
  user_id: v.string(),
  is_read: v.boolean(),
  /** Its ordinal among the notifications of its user. */
  arrival: v.number(),
})
export type Notification = v.InferOutput<typeof Notification>

export const listOf = (user: string, type?: string) => `NOTIFICATION#${user}${type === undefined ? '' : `#${type}`}`
export const expiryOf = (it: { created_at: string }) => Math.floor(Date.parse(it.created_at) / 1000) + LIFETIME
/** Every id below this one has expired, whether the table has dropped it or not. */
export const oldestId = () => firstIdAt(clock.now().getTime() - LIFETIME * 1000)
export const isLiving = (it: { notification_id: string }) => it.notification_id >= oldestId()

export const notification = defineItem({
  type: 'notification',
  schema: Notification,
  key: (it: { user_id: string; notification_id: string }) => key.notification(it.user_id, it.notification_id),
  indexes: (it) => ({
    gsi3: { pk: listOf(it.user_id), sk: it.notification_id },
    gsi4: { pk: listOf(it.user_id, it.notification_type), sk: it.notification_id },
  }),
  expires: expiryOf,
})

const Inbox = v.object({
  user_id: v.string(),
  /** How many there are, and how many of them are unread, by type. */
  held: v.record(v.string(), v.number()),
  unread: v.record(v.string(), v.number()),
  /** How many have ever arrived. */
  arrived: v.number(),
  /** Whatever arrived up to this one is read. */
  read_through: v.number(),
  /** Of who reviews or has reviewed, and of nobody else. */
  announced: v.optional(Announced),
  /** Of who wants letters, and of nobody else. */
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
      isReviewing(announced) && { gsi4: { pk: WAITING, sk: `${toldOf(announced.told)}#${user_id}` } }),
  }),
})
/** The inboxes for which a letter is due, by when. */
export const DUE = 'INBOX#DUE'
/** Those of reviewers who want letters and have none due, by how far they are told. */
export const WAITING = 'INBOX#REVIEWERS'
/** A number in the order of texts. */
export const toldOf = (n: number) => String(n).padStart(12, '0')

/** Before the first one arrives. */
export const empty = (user_id: string): Inbox => ({
  ...{ user_id, held: {}, unread: {}, arrived: 0, read_through: 0, version: 0 },
})

export const isRead = (it: Notification, box: Inbox | undefined) => it.is_read || it.arrival <= (box?.read_through ?? 0)

/** One of a user's own that a `getMany` has found and that has not expired. */
export function livingIn(found: ReadonlyMap<string, Stored>, user_id: string, id: string): Notification | undefined {
  const it = itemIn(found, notification, { user_id, notification_id: id })
  return it && isLiving(it) ? it : undefined
}

/** Several write to one inbox at a time: whoever comes second looks again. */
export const changeInbox = <T>(plan: () => Promise<Plan<T>>): Promise<T> => retryOnConflict(plan, { attempts: 20 })
