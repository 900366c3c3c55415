import { splitIntoParts } from '../../base/concurrency.ts'
import { isNotificationId } from '../../base/ids/notification-id.ts'
import {
  getMany,
  itemIn,
  parse,
  put,
  type UnitOfWork,
  type Write,
  walkTable,
  withNextVersion,
} from '../../engines/table/index.ts'
import { key } from '../../platform/table/keys.ts'
import { type Announcement, announcement, isFor, lastIdIn } from './announcements.ts'
import {
  type AnnouncedTo,
  type Inbox,
  inbox,
  isLiving,
  isRead,
  livingIn,
  type Notification,
  notification,
  retryInbox,
} from './items.ts'
import { addReadMark, loadReadMarks, readMark } from './read-marks.ts'
import { loadUnread, unreadStart } from './unread.ts'

/** Marks everything that has arrived as read, in one write. Returns how many were unread, up to 100. */
export async function markAllRead(unit: UnitOfWork, user_id: string): Promise<number> {
  retryInbox(unit)
  const items = await getMany([key.inbox(user_id), key.announcedEnd], true)
  const box = itemIn(items, inbox, { user_id })
  if (!box) return 0
  const unread = await loadUnread(user_id, box)
  if (unread.length === 0) return 0
  const announced = box.announced && { ...box.announced, read_through: lastIdIn(items) }
  const next = withNextVersion<Inbox>(box, { read_through: box.arrived, announced })
  unit.add([put(inbox, next, box)])
  return unread.length
}

/**
 * Marks notifications as read. Returns how many of them were unread. Ignores ids of no notification, or of another person's. A transaction
 * holds 90 marks: of more ids, all parts of 90 but the last part are committed ahead. Marking twice changes nothing.
 */
export async function markRead(unit: UnitOfWork, user_id: string, ids: readonly string[]): Promise<number> {
  const parts = splitIntoParts([...new Set(ids)].filter(isNotificationId), MARKED_AT_ONCE)
  const last = parts.pop()
  let marked = 0
  for (const [place, part] of parts.entries())
    marked += await unit.storeAhead(`notifications ${place}`, (own) => markPart(own, user_id, part))
  return last ? marked + (await markPart(unit, user_id, last)) : marked
}

/** Notifications that fit into one read and one transaction. */
const MARKED_AT_ONCE = 90

async function markPart(unit: UnitOfWork, user_id: string, ids: readonly string[]): Promise<number> {
  retryInbox(unit)
  const items = await getMany([key.inbox(user_id), ...ids.map((id) => key.notification(user_id, id))], true)
  const box = itemIn(items, inbox, { user_id })
  if (!box) return 0
  const own = ids.flatMap((id) => livingIn(items, user_id, id) ?? []).filter((it) => !isRead(it, box))
  const others = ids.filter((id) => !itemIn(items, notification, { user_id, notification_id: id }))
  const announced = await loadUnreadAnnouncements(box, others)
  unit.add([
    ...own.map((it) => put(notification, withNextVersion<Notification>(it, { is_read: true }), it)),
    ...announced.map((it) => addReadMark(user_id, it)),
    ...(announced.length > 0 ? await advanceReadThrough(box, announced) : []),
  ])
  return own.length + announced.length
}

/** Loads the unread announcements among these ids. Up to two calls; none if the owner of the inbox has never reviewed. */
async function loadUnreadAnnouncements(box: Inbox, ids: readonly string[]): Promise<Announcement[]> {
  const { user_id, announced } = box
  const unread = ids.filter((id) => announced && id > announced.read_through)
  if (!announced || unread.length === 0) return []
  const marks = unread.map((notification_id) => readMark.key({ user_id, notification_id }))
  const found = await getMany([...unread.map(key.announcement), ...marks], true)
  return unread
    .filter((id) => !itemIn(found, readMark, { user_id, notification_id: id }))
    .flatMap((id) => itemIn(found, announcement, { notification_id: id }) ?? [])
    .filter((it) => isLiving(it) && isFor(user_id, announced, it))
}

/** The most announcements by which `read_through` advances at one time. */
const ADVANCED_AT_ONCE = 100

/**
 * Moves `read_through` to just before the oldest unread announcement. Only later read marks are looked at, so their number stays small for
 * a person who reads one by one. Two calls.
 */
async function advanceReadThrough(box: Inbox, justRead: readonly Announcement[]): Promise<Write[]> {
  const { user_id, announced } = box
  if (!announced) return []
  const start = { pk: key.announcement('').pk, forward: true, limit: ADVANCED_AT_ONCE, beyond: unreadStart(box) }
  const next = (await walkTable(start)).map((item) => parse(announcement, item))
  const ids = next.map((it) => it.notification_id)
  const read = new Set([
    ...(await loadReadMarks(user_id, ids)),
    ...justRead.map(({ notification_id }) => notification_id),
  ])
  const read_through = lastReadInRow(user_id, announced, next, read)
  if (read_through === announced.read_through) return []
  return [put(inbox, withNextVersion<Inbox>(box, { announced: { ...announced, read_through } }), box)]
}

function lastReadInRow(
  user_id: string,
  announced: AnnouncedTo,
  next: readonly Announcement[],
  read: ReadonlySet<string>,
): string {
  const gap = next.findIndex((it) => isFor(user_id, announced, it) && !read.has(it.notification_id))
  const last = gap < 0 ? next.at(-1) : next[gap - 1]
  return last?.notification_id ?? announced.read_through
}
