import { parse } from '../table/item.ts'
import { key } from '../table/keys.ts'
import { getMany, itemIn, type Stored, walkTable } from '../table/read.ts'
import { type Announcement, announcementOf, endIn, withheld } from './announcements.ts'
import { type Inbox, inbox, oldestId } from './items.ts'
import { type Announced, announcedTo, before, later, type Place } from './places.ts'
import { isMarked, markedBetween } from './read-marks.ts'
import { minus, type Sizes, sumOf } from './sizes.ts'

/** What there is for someone: their own notifications, which the inbox counts, and what was announced while they reviewed. */
export type Shelf = { user_id: string; box: Inbox | undefined; end: Place }

/** One call, and another one of who reviews where that was not expected. */
export async function shelfOf(user_id: string, reviews: boolean, consistent = false): Promise<Shelf> {
  const found = await getMany([key.inbox(user_id), ...(reviews ? [key.announcedEnd] : [])], consistent)
  const box = itemIn(found, inbox, { user_id })
  const isToRead = !reviews && box?.announced !== undefined
  return { user_id, box, end: endIn(isToRead ? await getMany([key.announcedEnd], consistent) : found) }
}

/** How many there are, by type, but for one's own that have expired and are not dropped yet. No call; of who has reviewed for 180 days, or contributed as a reviewer, up to two. */
export async function heldOn({ user_id, box, end }: Shelf): Promise<Sizes> {
  const { announced, held = {} } = box ?? {}
  if (!announced) return held
  const isOld = announced.spans.some(({ from }) => from.at < oldestId())
  const [fallen, apart] = await Promise.all([isOld ? fallenIn(end) : nowhere, livingWithheld(user_id, announced)])
  return sumOf([held, minus(announcedTo(announced, fallen, end), apart)])
}

/** How many are unread, by type; with one's own that have expired until they are dropped. No call; of who has not marked all as read for 180 days, some. */
export async function unreadOn({ user_id, box, end }: Shelf): Promise<Sizes> {
  const { announced, unread = {} } = box ?? {}
  if (!announced) return unread
  const { read_through, passed } = announced
  const fallen = read_through.at < oldestId() ? await fallenIn(end) : nowhere
  const left = announcedTo(announced, later(fallen, read_through), end)
  if (fallen.n <= read_through.n) return sumOf([unread, minus(left, passed)])
  const [marked, apart] = await Promise.all([
    markedBetween(user_id, fallen.n, end.n),
    livingWithheld(user_id, announced),
  ])
  return sumOf([unread, minus(minus(left, marked), apart)])
}

const nowhere: Place = { n: 0, by: {}, at: '' }

/** The place up to which everything that was announced has expired. */
async function fallenIn(end: Place): Promise<Place> {
  const { pk } = key.announcement('')
  const [first] = await walkTable({ pk, forward: true, limit: 1, beyond: oldestId() })
  return first ? before(announcementOf(first)) : end
}

/** How many are withheld of those that have not expired: each says how many there were up to it. */
async function livingWithheld(user_id: string, { withheld: all }: Announced): Promise<Sizes> {
  if (Object.values(all).every((n) => n === 0)) return {}
  const { pk, sk } = key.withheld(user_id, oldestId())
  const [first] = await walkTable({ pk, prefix: 'WITHHELD#', forward: true, limit: 1, beyond: sk })
  if (!first) return {}
  const { by, notification_type } = parse(withheld, first)
  return minus(all, minus(by, { [notification_type]: 1 }))
}

/** Whether an announcement is read, by what was found under its marks' keys. */
export const isReadHere = (it: Announcement, box: Inbox | undefined, found: ReadonlyMap<string, Stored>): boolean =>
  it.n <= (box?.announced?.read_through.n ?? 0) || (box !== undefined && isMarked(found, box.user_id, it))
