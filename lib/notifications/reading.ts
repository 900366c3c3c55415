import { isNotificationId } from '../ids/notification-id.ts'
import type { Actor } from '../permissions.ts'
import { amended, put } from '../table/item.ts'
import { key } from '../table/keys.ts'
import { get, getMany, itemIn } from '../table/read.ts'
import { type Announcement, announcementIn, endIn } from './announcements.ts'
import { changeInbox, type Inbox, inbox, isLiving, isRead, livingIn, type Notification, notification } from './items.ts'
import { isFor } from './places.ts'
import { markKeys, markWrites } from './read-marks.ts'
import { isReadHere, shelfOf, unreadOn } from './shelf.ts'
import { plus, total } from './sizes.ts'

/** How many of a user's are unread: one small read, of a reviewer two in one call. One that has just expired counts until the table has dropped it. */
export async function unreadOf({ id, rank }: Pick<Actor, 'id' | 'rank'>): Promise<number> {
  return total(await unreadOn(await shelfOf(id, rank !== null)), undefined)
}

/** Marks everything that has arrived as read, in one write; answers how many that were. */
export const markAllRead = (user_id: string): Promise<number> =>
  changeInbox(async () => {
    const box = await get(inbox, { user_id })
    if (!box) return { result: 0, writes: [] }
    const end = box.announced && endIn(await getMany([key.announcedEnd], true))
    const marked = total(end ? await unreadOn({ user_id, box, end }) : box.unread, undefined)
    if (marked === 0) return { result: 0, writes: [] }
    const announced = box.announced && end && { ...box.announced, read_through: end, passed: {} }
    const read = amended<Inbox>(box, { unread: {}, read_through: box.arrived, announced })
    return { result: marked, writes: [put(inbox, read, box)] }
  })

/** Marks these as read; answers how many of them were not. Ids that name none of the user's are passed over. */
export async function markRead(user_id: string, ids: readonly string[]): Promise<number> {
  const wanted = [...new Set(ids)].filter(isNotificationId)
  let marked = 0
  for (let start = 0; start < wanted.length; start += AT_ONCE)
    marked += await markSome(user_id, wanted.slice(start, start + AT_ONCE))
  return marked
}

/** How many fit into one read and one transaction. */
const AT_ONCE = 90

const markSome = (user_id: string, ids: readonly string[]): Promise<number> =>
  changeInbox(async () => {
    const found = await getMany([key.inbox(user_id), ...ids.map((id) => key.notification(user_id, id))], true)
    const box = itemIn(found, inbox, { user_id })
    if (!box) return { result: 0, writes: [] }
    const own = ids.flatMap((id) => livingIn(found, user_id, id) ?? []).filter((it) => !isRead(it, box))
    const others = ids.filter((id) => !itemIn(found, notification, { user_id, notification_id: id }))
    const { some, marks } = await unreadAnnounced(box, others)
    if (own.length + some.length === 0) return { result: 0, writes: [] }
    const read = amended<Inbox>(box, { unread: less(box.unread, own), announced: withPassed(box, some) })
    return {
      result: own.length + some.length,
      writes: [
        put(inbox, read, box),
        ...own.map((it) => put(notification, amended<Notification>(it, { is_read: true }), it)),
        ...markWrites(marks, user_id, some),
      ],
    }
  })

/** Those of these ids that name announcements for someone which they have not read, and what was found of the marks. Two calls; none of who has never reviewed. */
async function unreadAnnounced(box: Inbox, ids: readonly string[]) {
  const { announced, user_id } = box
  if (!announced || ids.length === 0) return { some: [], marks: new Map() }
  const found = await getMany(ids.map(key.announcement), true)
  const theirs = ids
    .flatMap((id) => announcementIn(found, id) ?? [])
    .filter((it) => isLiving(it) && isFor(user_id, announced, it))
  const marks = await getMany(markKeys(user_id, theirs), true)
  return { some: theirs.filter((it) => !isReadHere(it, box, marks)), marks }
}

const less = (unread: Inbox['unread'], some: readonly Notification[]) =>
  some.reduce((counts, it) => plus(counts, it.notification_type, -1), unread)

const withPassed = ({ announced }: Inbox, some: readonly Announcement[]): Inbox['announced'] =>
  announced && {
    ...announced,
    passed: some.reduce((counts, it) => plus(counts, it.notification_type, 1), announced.passed),
  }
