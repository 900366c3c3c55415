import { clock, nowSeconds } from '../../base/clock.ts'
import { splitIntoParts } from '../../base/concurrency.ts'
import { notificationId } from '../../base/ids/notification-id.ts'
import { getMany, itemIn, put, type Write, withNextVersion } from '../../engines/table/index.ts'
import { key } from '../../platform/table/keys.ts'
import { notices } from './events.ts'
import { changeInbox, emptyInbox, expiryOf, type Inbox, inbox, type Message, notification } from './items.ts'
import { withDue } from './mailing.ts'

/** An event to notify people of. */
export type News = Pick<Message, 'notice' | 'event' | 'actor_id' | 'entity_id' | 'detail' | 'created_at'> & {
  project_id?: string | null
  /** The id of the request that caused the event, if another request stores the notification. */
  request_id?: string | undefined
}
export type NewNotification = News & { user_id: string }

/** Notifications that fit into one transaction with the inbox. */
const STORED_AT_ONCE = 90

/** Stores notifications of one person, in order. Leaves out those stored before and those that have expired. One transaction for each 90. */
export async function sendAll(user_id: string, news: readonly News[]): Promise<void> {
  let left = news.filter((it) => expiryOf(it) > nowSeconds())
  // Two events of one millisecond may give the same id. The next turn computes another id for the second event.
  for (let turn = 0; left.length > 0; turn += 1) {
    const clashing: News[] = []
    for (const part of splitIntoParts(left, STORED_AT_ONCE)) clashing.push(...(await sendSome(user_id, part, turn)))
    left = clashing
  }
}

const sameEvent = (a: News, b: News) => a.event === b.event && a.notice === b.notice

/** Stores one transaction of notifications. Returns those whose id another event has. */
const sendSome = (user_id: string, news: readonly News[], turn: number): Promise<News[]> =>
  changeInbox(async () => {
    const wanted = new Map<string, News>()
    const clashing: News[] = []
    for (const it of news) {
      const id = notificationId(Date.parse(it.created_at), `${it.event}#${it.notice}#${turn}`)
      const other = wanted.get(id)
      if (other && !sameEvent(other, it)) clashing.push(it)
      else wanted.set(id, it)
    }
    const keys = [...wanted.keys()].map((id) => key.notification(user_id, id))
    const found = await getMany([...keys, key.inbox(user_id)], true)
    const old = itemIn(found, inbox, { user_id })
    let box = old ?? emptyInbox(user_id)
    const writes: Write[] = []
    for (const [notification_id, it] of wanted) {
      const stored = itemIn(found, notification, { user_id, notification_id })
      if (stored && !sameEvent(stored, it)) clashing.push(it)
      // prove: stored-notification
      if (stored) continue
      const { type } = notices[it.notice]
      // prove: arrival
      box = { ...box, arrived: box.arrived + 1 }
      const fresh = { ...it, user_id, notification_id, notification_type: type, arrival: box.arrived }
      writes.push(put(notification, { project_id: null, ...fresh, is_read: false, version: 1 }, undefined))
    }
    if (writes.length > 0) {
      const mailing = box.mailing && withDue(box.mailing, clock.now().toISOString())
      writes.push(put(inbox, withNextVersion<Inbox>(box, { mailing }), old))
    }
    return { result: clashing, writes }
  })
