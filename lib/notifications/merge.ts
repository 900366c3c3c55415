import { invalid } from '../errors.ts'
import { parse } from '../table/item.ts'
import { key } from '../table/keys.ts'
import { DEEPEST_OFFSET, type PageRequest } from '../table/pages.ts'
import { type Stored, type Walk, walk, walkTable } from '../table/read.ts'
import { type Announcement, announcedOfType, announcementOf } from './announcements.ts'
import { type Notification, notification, type Told } from './items.ts'
import type { Span } from './places.ts'

/** Someone's own notifications and the announcements as one list by id, which is by time. No id is in both. */

/** A notice that someone may have: one of their own, or one that was announced. */
export type Row = { own: Notification; announced?: never } | { own?: never; announced: Announcement }
export const toldBy = ({ own, announced }: Row): Told => own ?? announced
const idOf = (row: Row): string => toldBy(row).notification_id

/** A list that is read in steps. */
export type Run = {
  /** What was read and not taken yet. */
  rows: Row[]
  /** There is nothing behind what was read. */
  ended: boolean
  /** Reads so many more. */
  fill: (many: number) => Promise<void>
}

/** At most this many calls of a hundred look for those that are read, or unread. */
const MOST_CALLS = 50
const AT_ONCE = 100

/** Fails for an offset that is too deep to be walked to. */
export function checkDepth({ offset, from }: PageRequest): void {
  if (!from && offset > DEEPEST_OFFSET)
    throw invalid({ offset: [`Follow the links in "next" to read beyond ${DEEPEST_OFFSET}.`] })
}

export const ownRun = (where: Pick<Walk, 'index' | 'pk'>, forward: boolean, from: string | undefined): Run =>
  runOf(from, async (beyond, limit) => ({
    ended: false,
    rows: (await walk({ ...where, forward, limit, beyond })).map((item) => ({ own: parse(notification, item) })),
  }))

/** What was announced in these times, and a few others between them. */
export const announcedRun = (
  spans: readonly Span[],
  type: string | undefined,
  forward: boolean,
  from: string | undefined,
): Run =>
  runOf(from, async (beyond, limit) => {
    const start = startIn(spans, forward, beyond)
    if (start === undefined) return { ended: true, rows: [] }
    const what = { forward, limit, beyond: start === '' ? undefined : start }
    const items: Stored[] = await (type === undefined
      ? walkTable({ pk: key.announcement('').pk, consistent: false, ...what })
      : walk({ index: 'gsi4', pk: announcedOfType(type), ...what }))
    return { ended: false, rows: items.map((item) => ({ announced: announcementOf(item) })) }
  })

/** Behind every id that begins with what is before it. */
const LAST = '~'

/** Behind what one goes on to read what was announced in one of these times; the empty text is the end of the list, undefined where there is none. */
function startIn(spans: readonly Span[], forward: boolean, beyond: string | undefined): string | undefined {
  if (forward) {
    const next = spans.find(({ to }) => to === null || beyond === undefined || to.at > beyond)
    // All ids have eleven letters: what has ten of them comes before.
    return next && [next.from.at.slice(0, 10), beyond ?? ''].sort().at(-1)
  }
  const next = spans.findLast(({ from }) => beyond === undefined || from.at < beyond)
  return next && ([next.to && next.to.at + LAST, beyond].filter((it) => typeof it === 'string').sort()[0] ?? '')
}

type Step = { ended: boolean; rows: Row[] }

function runOf(from: string | undefined, read: (beyond: string | undefined, limit: number) => Promise<Step>): Run {
  let beyond = from
  const run: Run = {
    rows: [],
    ended: false,
    fill: async (many) => {
      const { ended, rows } = await read(beyond, many)
      run.rows.push(...rows)
      run.ended = ended || rows.length < many
      const last = rows.at(-1)
      if (last) beyond = idOf(last)
    },
  }
  return run
}

/** The first of all runs by id that fit, so many where there are as many. */
export async function taken(
  runs: readonly Run[],
  forward: boolean,
  most: number,
  fitting: (rows: readonly Row[]) => Promise<readonly Row[]>,
): Promise<Row[]> {
  const hits: Row[] = []
  for (let calls = 0; calls < MOST_CALLS && hits.length < most; calls += 1) {
    hits.push(...(await fitting(nextOf(runs, forward))))
    const short = runs.filter(({ rows, ended }) => rows.length === 0 && !ended)
    if (short.length === 0) break
    if (hits.length < most) await Promise.all(short.map((run) => run.fill(AT_ONCE)))
  }
  return hits.slice(0, most)
}

/** Takes what certainly comes next: up to where one run has to be read on. */
function nextOf(runs: readonly Run[], forward: boolean): Row[] {
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
