import { isNotificationId } from '../ids/notification-id.ts'
import { type Actor, mayInspect, mayVisit } from '../permissions.ts'
import { asSubject, type Project, project } from '../projects/items.ts'
import { type RecordItem, recordItem } from '../records/items.ts'
import { parse } from '../table/item.ts'
import { type Key, key } from '../table/keys.ts'
import type { PageRequest, PageResult } from '../table/pages.ts'
import { getMany, itemIn, type Stored, walk } from '../table/read.ts'
import { type PeopleById, peopleIn } from '../users/people.ts'
import { keyOf } from '../users/users.ts'
import { announcementIn } from './announcements.ts'
import { type Inbox, inbox, isLiving, isRead, listOf, livingIn, type Notification, notification } from './items.ts'
import { announcedRun, checkDepth, ownRun, type Row, taken, toldBy } from './merge.ts'
import { isFor } from './places.ts'
import { markKeys } from './read-marks.ts'
import { heldOn, isReadHere, type Shelf, shelfOf, unreadOn } from './shelf.ts'
import { total } from './sizes.ts'

/** A notification as its reader is shown it; `about` is missing where they may not see the record any more. */
export type Shown = {
  notification: ReturnType<typeof toldBy> & { user_id: string }
  is_read: boolean
  about: RecordItem | undefined
  on: Project | undefined
}

type Found = ReadonlyMap<string, Stored>

/** One of the caller's own, or one that was announced to them. Two calls, or three. */
export async function load(id: string, actor: Actor): Promise<{ shown: Shown; people: PeopleById } | undefined> {
  if (!isNotificationId(id)) return undefined
  const stored = await getMany([key.notification(actor.id, id), key.inbox(actor.id)], true)
  const box = itemIn(stored, inbox, { user_id: actor.id })
  const own = livingIn(stored, actor.id, id)
  const row = own ? { own } : await announcedRow(id, box)
  if (!row) return undefined
  const found = await getMany(keysOf(row, box), true)
  return { shown: shownTo(actor, row, box, found), people: peopleIn(found) }
}

async function announcedRow(id: string, box: Inbox | undefined): Promise<Row | undefined> {
  if (!box?.announced) return undefined
  const announced = announcementIn(await getMany([key.announcement(id)], true), id)
  return announced && isOn(box, { announced }) ? { announced } : undefined
}

export type Filter = { is_read?: boolean | undefined; notification_type?: string | undefined }
export type NotificationPage = PageResult<Shown> & { people: PeopleById }

/**
 * One page of the caller's own and of what was announced to them, newest first. Four calls, of who reviews five; another one where marks or
 * sizes have to be looked up. Read or unread ones are filtered from all, page by page.
 */
export async function list(filter: Filter, actor: Actor, place: PageRequest): Promise<NotificationPage> {
  checkDepth(place)
  const own = ownList(actor.id, filter.notification_type)
  const forward = place.from?.side === 'before'
  const run = ownRun(own, forward, place.from?.at)
  const first = filter.is_read === undefined ? (place.from ? 0 : place.offset) + place.limit : 100
  const [shelf, expired] = await Promise.all([shelfOf(actor.id, actor.rank !== null), expiredIn(own), run.fill(first)])
  const { box } = shelf
  const spans = box?.announced?.spans ?? []
  const others = announcedRun(spans, filter.notification_type, forward, place.from?.at)
  const marks = new Map<string, Stored>()
  const fitting = (rows: readonly Row[]) => fittingOf(rows, filter, box, marks)
  const [count] = await Promise.all([countOf(shelf, filter, expired), others.fill(first)])
  const page = await pageOf(await taken([run, others], forward, mostOf(filter, place, count), fitting), place)
  const found = await getMany(page.flatMap((row) => keysOf(row, box)))
  const known = new Map([...marks, ...found])
  return {
    count,
    results: page.map((row) => shownTo(actor, row, box, known)),
    people: peopleIn(found),
    first: idAt(page, 0),
    last: idAt(page, -1),
  }
}

const ownList = (user_id: string, type: string | undefined) => ({
  index: type === undefined ? ('gsi3' as const) : ('gsi4' as const),
  pk: listOf(user_id, type),
})
const idAt = (page: readonly Row[], at: number): string | undefined => {
  const row = page.at(at)
  return row && toldBy(row).notification_id
}

/** So many are looked for. What is filtered ends where as many are found as there are, or else all would be read. */
function mostOf({ is_read }: Filter, { limit, offset, from }: PageRequest, count: number): number {
  const skip = from ? 0 : offset
  if (is_read === undefined || from?.side === 'before') return skip + limit
  return skip + Math.min(limit, Math.max(0, count - offset))
}

function pageOf(rows: readonly Row[], { limit, offset, from }: PageRequest): Row[] {
  const page = rows.slice(from ? 0 : offset, (from ? 0 : offset) + limit)
  return from?.side === 'before' ? page.reverse() : page
}

async function countOf(shelf: Shelf, { is_read, notification_type }: Filter, expired: readonly Notification[]) {
  const count = async (sizes: Promise<Record<string, number>>, of: readonly Notification[]) =>
    total(await sizes, notification_type) - of.length
  const unread = expired.filter((it) => !isRead(it, shelf.box))
  if (is_read === undefined) return count(heldOn(shelf), expired)
  if (!is_read) return count(unreadOn(shelf), unread)
  const [all, others] = await Promise.all([count(heldOn(shelf), expired), count(unreadOn(shelf), unread)])
  return all - others
}

/** Those that are for the reader, and read or unread as they ask. What is marked is learned where it matters. */
async function fittingOf(
  rows: readonly Row[],
  { is_read }: Filter,
  box: Inbox | undefined,
  marks: Map<string, Stored>,
) {
  const theirs = rows.filter((row) => isOn(box, row))
  if (is_read === undefined) return theirs
  const keys = theirs.flatMap((row) => marksOf(row, box))
  for (const [place, item] of await getMany([...new Map(keys.map((at) => [at.sk, at])).values()]))
    marks.set(place, item)
  return theirs.filter((row) => isReadIn(row, box, marks) === is_read)
}

/** Whether a notice is on the shelf of this inbox's owner. */
const isOn = (box: Inbox | undefined, row: Row): boolean =>
  isLiving(toldBy(row)) &&
  (row.own !== undefined || (box?.announced !== undefined && isFor(box.user_id, box.announced, row.announced)))

const isReadIn = (row: Row, box: Inbox | undefined, found: Found): boolean =>
  row.own ? isRead(row.own, box) : isReadHere(row.announced, box, found)

/** Where it stands whether an announcement is read; nowhere of what was announced before all was marked. */
const marksOf = ({ announced }: Row, box: Inbox | undefined): Key[] =>
  announced && box?.announced && announced.n > box.announced.read_through.n ? markKeys(box.user_id, [announced]) : []

const keysOf = (row: Row, box: Inbox | undefined): Key[] => [...namedBy(row), ...marksOf(row, box)]

/** What a notice names: its record or project, and who made the event. */
function namedBy(row: Row): Key[] {
  const { entity_id, project_id, actor_id } = toldBy(row)
  return [
    ...(entity_id === null ? [] : [key.head(entity_id)]),
    ...(project_id === null ? [] : [key.project(project_id)]),
    ...(actor_id === null ? [] : [keyOf(actor_id)]),
  ]
}

function shownTo(actor: Actor, row: Row, box: Inbox | undefined, found: Found): Shown {
  const it = toldBy(row)
  const about = it.entity_id === null ? undefined : itemIn(found, recordItem, { entity_id: it.entity_id })
  const on = it.project_id === null ? undefined : itemIn(found, project, { id: it.project_id })
  return {
    notification: { ...it, user_id: actor.id },
    is_read: isReadIn(row, box, found),
    about: about && mayInspect(actor, about) ? about : undefined,
    on: on && mayVisit(actor, asSubject(on)) ? on : undefined,
  }
}

/** Those of these that are unread, as their reader may see them now. One call, or two. */
export async function shownUnread(actor: Actor, rows: readonly Row[], box: Inbox | undefined) {
  const theirs = await fittingOf(rows, { is_read: false }, box, new Map())
  const found = await getMany(
    theirs.flatMap((row) => keysOf(row, box)),
    true,
  )
  return { shown: theirs.map((row) => shownTo(actor, row, box, found)), people: peopleIn(found) }
}

/** One's own that have expired and that the table has not dropped yet: at most of two days, and as a rule none. */
async function expiredIn(where: ReturnType<typeof ownList>): Promise<Notification[]> {
  const oldest = async (limit: number) =>
    (await walk({ ...where, forward: true, limit }))
      .map((item) => parse(notification, item))
      .filter((it) => !isLiving(it))
  return (await oldest(1)).length === 0 ? [] : oldest(1000)
}
