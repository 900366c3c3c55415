import { firstIdAt } from '../../base/ids/notification-id.ts'
import { mergeSorted } from '../../base/merge-sorted.ts'
import { parse, walk, walkTable } from '../../engines/table/index.ts'
import { key } from '../../platform/table/keys.ts'
import { type Announcement, announcedOfType, announcement, isFor, spanOf } from './announcements.ts'
import {
  type Inbox,
  isLiving,
  isRead,
  type Message,
  type Notification,
  notification,
  notificationsOf,
  oldestId,
  type ReviewSpan,
} from './items.ts'
import { loadReadMarks } from './read-marks.ts'

/** One person's notifications, and the announcements for them, as one list. It is ordered by id, and so by time. */

export type Row = { message: Message; is_read: boolean }
export const idOf = ({ message }: Row): string => message.notification_id

/**
 * The direction in which a list is read, and the id after which reading starts. Undefined: reading starts with the first row in this
 * direction.
 */
export type Direction = { forward: boolean; from: string | undefined }

/** The least number of messages that one call reads. */
const STEP = 100

/** Builds the rows of a person's own notifications. Expired ones are left out. */
export const ownRows = (notifications: readonly Notification[], box: Inbox | undefined): Row[] =>
  notifications.filter(isLiving).map((message) => ({ message, is_read: isRead(message, box) }))

/** Builds the rows of the announcements that are for the owner of the inbox. Reads marks for those after `read_through`: one call. */
export async function announcedRows(
  announcements: readonly Announcement[],
  { user_id, announced }: Inbox,
): Promise<Row[]> {
  const addressed = announcements.filter((it) => announced && isLiving(it) && isFor(user_id, announced, it))
  const read_through = announced?.read_through ?? ''
  const ids = addressed.map((it) => it.notification_id)
  const marked = await loadReadMarks(
    user_id,
    ids.filter((id) => id > read_through),
  )
  return addressed.map((message) => {
    const id = message.notification_id
    return { message, is_read: id <= read_through || marked.has(id) }
  })
}

/** Yields rows of a person's own notifications, of one type or of all. Each call reads at least `needed` of them. */
export async function* readOwnRows(
  user_id: string,
  type: string | undefined,
  box: Inbox | undefined,
  { forward, from }: Direction,
  needed: number,
): AsyncGenerator<Row> {
  const index = type === undefined ? 'gsi3' : 'gsi4'
  const limit = Math.max(STEP, needed)
  let beyond = from
  for (;;) {
    const items = await walk({ index, pk: notificationsOf(user_id, type), forward, limit, beyond })
    const notifications = items.map((item) => parse(notification, item))
    yield* ownRows(notifications, box)
    if (items.length < limit) return
    beyond = notifications.at(-1)?.notification_id
  }
}

/** Streams of announcement rows: one for each span in which the owner of the inbox reviewed. */
export const readAnnouncedRows = (
  box: Inbox | undefined,
  type: string | undefined,
  direction: Direction,
  needed: number,
): AsyncGenerator<Row>[] =>
  box?.announced ? box.announced.spans.map((span) => readSpan(box, span, type, direction, needed)) : []

async function* readSpan(
  box: Inbox,
  span: ReviewSpan,
  type: string | undefined,
  { forward, from }: Direction,
  needed: number,
): AsyncGenerator<Row> {
  const { first, last } = boundsOf(span)
  const limit = Math.max(STEP, needed)
  let beyond = forward ? laterOf(idBefore(first), from) : earlierOf(last && last + AFTER, from)
  for (;;) {
    const query = { forward, limit, beyond }
    const items = await (type === undefined
      ? walkTable({ pk: key.announcement('').pk, consistent: false, ...query })
      : walk({ index: 'gsi4', pk: announcedOfType(type), ...query }))
    const announcements = items.map((item) => parse(announcement, item))
    const inside = announcements.filter(({ notification_id: id }) => id >= first && (last === undefined || id <= last))
    // The bounds of two spans may overlap by some seconds: each announcement belongs to one of them.
    const inSpan = inside.filter((it) => box.announced && spanOf(box.announced, it) === span)
    yield* await announcedRows(inSpan, box)
    if (items.length < limit || inside.length < announcements.length) return
    beyond = announcements.at(-1)?.notification_id
  }
}

/** Milliseconds by which the clocks of two processes may differ. */
const CLOCK_SKEW = 60_000

/** The first and the last id of a span. `last` is undefined while the span lasts. */
function boundsOf({ since, through }: ReviewSpan) {
  const start = firstIdAt(Date.parse(since) - CLOCK_SKEW)
  return { first: laterOf(start, oldestId()), last: through ?? undefined }
}

/** A text that sorts just before the first id of a millisecond, and after all earlier ids. It is that id without its last `0`. */
export const idBefore = (id: string): string => id.slice(0, -1)
/** An id with this suffix sorts just after the id, and before all later ids. */
const AFTER = '~'

export const laterOf = (a: string, b: string | undefined): string => (b !== undefined && b > a ? b : a)
const earlierOf = (a: string | undefined, b: string | undefined): string | undefined =>
  a === undefined || (b !== undefined && b < a) ? b : a

/** Takes the first `most` rows, by id, for which `isWanted` is true, from all streams. Stops after reading `mostRead` rows. */
export async function takeRows(
  streams: readonly AsyncGenerator<Row>[],
  { forward, most, mostRead }: { forward: boolean; most: number; mostRead: number },
  isWanted: (row: Row) => boolean,
): Promise<Row[]> {
  const rows: Row[] = []
  let read = 0
  for await (const row of mergeSorted(streams, (a, b) => idOf(a) < idOf(b) === forward)) {
    if (isWanted(row)) rows.push(row)
    read += 1
    if (rows.length === most || read === mostRead) break
  }
  return rows
}
