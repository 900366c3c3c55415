import * as v from 'valibot'
import { clock, nowSeconds } from '../clock.ts'
import { notificationId } from '../ids/notification-id.ts'
import { amended, defineItem, parse, put, type Write } from '../table/item.ts'
import { key } from '../table/keys.ts'
import { getMany, itemIn, type Stored } from '../table/read.ts'
import { notices } from './events.ts'
import {
  changeInbox,
  empty,
  expiryOf,
  type Inbox,
  inbox,
  isRead,
  type Notification,
  notification,
  type Told,
} from './items.ts'
import { withDue } from './mailing.ts'
import { plus } from './sizes.ts'

/** Stands for one that the table has dropped, so that it is taken out of the counts once. */
const uncounted = defineItem({
  type: 'gone_notification',
  schema: v.object({ user_id: v.string(), notification_id: v.string(), until: v.number(), version: v.number() }),
  key: (it: { user_id: string; notification_id: string }) => key.goneNotification(it.user_id, it.notification_id),
  expires: (it) => it.until,
})

/** Something that is to be told, and when it happened. */
export type News = Pick<Told, 'notice' | 'event' | 'actor_id' | 'entity_id' | 'detail' | 'created_at'> & {
  project_id?: string | null
  /** The request whose change it comes of, where another writes it. */
  request_id?: string | undefined
}
export type NewNotification = News & { user_id: string }

/** So many are stored in one transaction, with the inbox. */
const STORED_AT_ONCE = 90

/** Stores notifications of one person, in order, in as few transactions as they fit into; what is there already, or whose time is over, is passed over. */
export async function sendAll(user_id: string, told: readonly News[]): Promise<void> {
  let left = told.filter((it) => expiryOf(it) > nowSeconds())
  // Two events of one moment may give one id: the second takes the next.
  for (let turn = 0; left.length > 0; turn += 1) {
    const taken: News[] = []
    for (let start = 0; start < left.length; start += STORED_AT_ONCE)
      taken.push(...(await sendSome(user_id, left.slice(start, start + STORED_AT_ONCE), turn)))
    left = taken
  }
}

const sameEvent = (a: News, b: News) => a.event === b.event && a.notice === b.notice

/** Stores some of them; answers those whose id another event has. */
const sendSome = (user_id: string, told: readonly News[], turn: number): Promise<News[]> =>
  changeInbox(async () => {
    const wanted = new Map<string, News>()
    const taken: News[] = []
    for (const it of told) {
      const id = notificationId(Date.parse(it.created_at), `${it.event}#${it.notice}#${turn}`)
      const other = wanted.get(id)
      if (other && !sameEvent(other, it)) taken.push(it)
      else wanted.set(id, it)
    }
    const keys = [...wanted.keys()].map((id) => key.notification(user_id, id))
    const found = await getMany([...keys, key.inbox(user_id)], true)
    const old = itemIn(found, inbox, { user_id })
    let box = old ?? empty(user_id)
    const writes: Write[] = []
    for (const [notification_id, it] of wanted) {
      const there = itemIn(found, notification, { user_id, notification_id })
      if (there && !sameEvent(there, it)) taken.push(it)
      if (there) continue
      const { type } = notices[it.notice]
      box = { ...box, arrived: box.arrived + 1, held: plus(box.held, type, 1), unread: plus(box.unread, type, 1) }
      const made = { ...it, user_id, notification_id, notification_type: type, arrival: box.arrived }
      writes.push(put(notification, { project_id: null, ...made, is_read: false, version: 1 }, undefined))
    }
    if (writes.length > 0) {
      const mailing = box.mailing && withDue(box.mailing, clock.now().toISOString())
      writes.push(put(inbox, amended<Inbox>(box, { mailing }), old))
    }
    return { result: taken, writes }
  })

/** Takes one that the table has dropped out of the counts, once however often it is told. */
export const uncountExpired = (stored: Stored): Promise<void> =>
  changeInbox(async () => {
    const it = parse(notification, stored)
    const found = await getMany([uncounted.key(it), key.inbox(it.user_id)], true)
    if (itemIn(found, uncounted, it)) return { result: undefined, writes: [] }
    const box = itemIn(found, inbox, it)
    const mark = {
      user_id: it.user_id,
      notification_id: it.notification_id,
      until: nowSeconds() + 7 * 24 * 3600,
      version: 1,
    }
    return {
      result: undefined,
      writes: [
        put(uncounted, mark, undefined),
        ...(box ? [put(inbox, amended<Inbox>(box, without(box, it)), box)] : []),
      ],
    }
  })

/** What an inbox holds, and of that what is unread, without one of its notifications. */
const without = (box: Inbox, it: Notification): Pick<Inbox, 'held' | 'unread'> => ({
  held: plus(box.held, it.notification_type, -1),
  unread: isRead(it, box) ? box.unread : plus(box.unread, it.notification_type, -1),
})
