import { firstIdAt } from '../../base/ids/notification-id.ts'
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

/** Someone's own notifications and the announcements for them as one list, by id, which is by time. No id is in both. */

export type Row = { message: Message; is_read: boolean }
export const idOf = ({ message }: Row): string => message.notification_id

/** In which direction a list is read, and beyond which id. */
export type Direction = { forward: boolean; from: string | undefined }

/** One sorted list that is read in steps. */
export type Run = {
  /** What was read and not taken yet. */
  rows: Row[]
  /** Nothing lies beyond what was read. */
  ended: boolean
  /** Reads up to so many more, and keeps those that its reader may have. */
  fill: (many: number) => Promise<void>
}

/** Rows of someone's own notifications. */
export const ownRows = (some: readonly Notification[], box: Inbox | undefined): Row[] =>
  some.filter(isLiving).map((message) => ({ message, is_read: isRead(message, box) }))

/** Rows of those announcements that are for the owner of this inbox. One call, where some lie beyond what was read at once. */
export async function announcedRows(some: readonly Announcement[], { user_id, announced }: Inbox): Promise<Row[]> {
  const theirs = some.filter((it) => announced && isLiving(it) && isFor(user_id, announced, it))
  const read_through = announced?.read_through ?? ''
  const ids = theirs.map((it) => it.notification_id)
  const marked = await loadReadMarks(
    user_id,
    ids.filter((id) => id > read_through),
  )
  return theirs.map((message) => {
    const id = message.notification_id
    return { message, is_read: id <= read_through || marked.has(id) }
  })
}

export const ownRun = (user_id: string, type: string | undefined, box: Inbox | undefined, at: Direction): Run => {
  const list = { index: type === undefined ? ('gsi3' as const) : ('gsi4' as const), pk: notificationsOf(user_id, type) }
  const run: Run = { rows: [], ended: false, fill }
  let beyond = at.from
  async function fill(limit: number) {
    const items = await walk({ ...list, forward: at.forward, limit, beyond })
    const some = items.map((item) => parse(notification, item))
    run.rows.push(...ownRows(some, box))
    run.ended = items.length < limit
    beyond = some.at(-1)?.notification_id ?? beyond
  }
  return run
}

/** One run for each time in which the inbox's owner reviewed. */
export const announcedRuns = (box: Inbox | undefined, type: string | undefined, at: Direction): Run[] =>
  box?.announced ? box.announced.spans.map((span) => spanRun(box, span, type, at)) : []

function spanRun(box: Inbox, span: ReviewSpan, type: string | undefined, { forward, from }: Direction): Run {
  const { first, last } = boundsOf(span)
  const run: Run = { rows: [], ended: false, fill }
  let beyond = forward ? laterOf(idBefore(first), from) : earlierOf(last && last + AFTER, from)
  async function fill(limit: number) {
    const query = { forward, limit, beyond }
    const items = await (type === undefined
      ? walkTable({ pk: key.announcement('').pk, consistent: false, ...query })
      : walk({ index: 'gsi4', pk: announcedOfType(type), ...query }))
    const read = items.map((item) => parse(announcement, item))
    const inside = read.filter(({ notification_id: id }) => id >= first && (last === undefined || id <= last))
    // The bounds of two spans may overlap by some seconds: each announcement belongs to one of them.
    const theirs = inside.filter((it) => box.announced && spanOf(box.announced, it) === span)
    run.rows.push(...(await announcedRows(theirs, box)))
    run.ended = items.length < limit || inside.length < read.length
    beyond = read.at(-1)?.notification_id ?? beyond
  }
  return run
}

/** The clocks of two processes may differ by so many milliseconds. */
const CLOCK_SKEW = 60_000

/** Between which ids everything lies that was announced in a span; `last` is undefined while it lasts. */
function boundsOf({ since, through }: ReviewSpan) {
  const start = firstIdAt(Date.parse(since) - CLOCK_SKEW)
  return { first: laterOf(start, oldestId()), last: through ?? undefined }
}

/** A text that sorts before an id and after all earlier ids: every id has eleven letters. */
export const idBefore = (id: string): string => id.slice(0, -1)
/** What follows an id in a text that sorts after it and before all later ids. */
const AFTER = '~'

export const laterOf = (a: string, b: string | undefined): string => (b !== undefined && b > a ? b : a)
const earlierOf = (a: string | undefined, b: string | undefined): string | undefined =>
  a === undefined || (b !== undefined && b < a) ? b : a

/** A list is read in steps of so many. */
const STEP = 100

/** The first `most` rows of all runs, by id, that are wanted. It gives up after `calls` steps. */
export async function takeRows(
  runs: readonly Run[],
  { forward, most, calls }: { forward: boolean; most: number; calls: number },
  isWanted: (row: Row) => boolean,
): Promise<Row[]> {
  const rows: Row[] = []
  for (let call = 0; call < calls && rows.length < most; call += 1) {
    const short = runs.filter((run) => run.rows.length === 0 && !run.ended)
    await Promise.all(short.map((run) => run.fill(Math.max(STEP, most))))
    rows.push(...shiftSorted(runs, forward).filter(isWanted))
    if (runs.every((run) => run.ended && run.rows.length === 0)) break
  }
  return rows.slice(0, most)
}

/** Takes off what certainly comes next: up to where one of the runs has to be read on. */
function shiftSorted(runs: readonly Run[], forward: boolean): Row[] {
  const next: Row[] = []
  while (runs.every(({ rows, ended }) => rows.length > 0 || ended)) {
    const [first] = runs
      .flatMap(({ rows }) => rows.slice(0, 1).map((row) => ({ id: idOf(row), rows })))
      .sort((a, b) => (a.id < b.id === forward ? -1 : 1))
    const row = first?.rows.shift()
    if (!row) break
    next.push(row)
  }
  return next
}
