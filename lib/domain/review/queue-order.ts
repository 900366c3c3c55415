import type { IndexName } from '../../engines/table/index.ts'
import { parse, walk } from '../../engines/table/index.ts'
import { type QueueEntry, queueByAge, queueLists, queueParts } from '../records/queue-entry.ts'
import { agedBefore, expiringBefore, fromAged, orderAt, type QueueType, toAged } from '../records/rules/triage.ts'

/** An entry with its place: a text that sorts as the merged queue does. */
export type PlacedEntry = { it: QueueEntry; place: string }
/** One order of a queue: the stored runs to merge, and the entries that are read beside them (`also`). */
export type Order = { runs: readonly Run[]; also: Promise<readonly PlacedEntry[]>; forward: boolean }

type Run = {
  index: IndexName
  pk: string
  /** From a sort key of the run to a place in the merged queue, and back. */
  place: (sk: string) => string
  sk: (place: string) => string
  keep: (it: QueueEntry) => boolean
  /** The run ends after this sort key. */
  most?: string
}

/**
 * The queue at a moment, most urgent first. Young and aged entries each have an order that time does not change. Entries
 * that came of age since the sweeper's last visit are read separately (`overdue`). Without `categories`, all are listed.
 */
export function byUrgencyAt(
  at: number,
  type: QueueType,
  overdue: Promise<readonly QueueEntry[]>,
  categories: readonly (string | undefined)[] = [undefined],
): Order {
  const isAged = (it: QueueEntry) => Date.parse(it.created_at) <= agedBefore(at)
  const same = (key: string) => key
  const young = { place: same, sk: same, keep: (it: QueueEntry) => !isAged(it) }
  const aged = { place: (sk: string) => fromAged(sk, at), sk: (place: string) => toAged(place, at), keep: () => true }
  const ways = { fresh: young, expiring: young, aged }
  const isMisplaced = (it: QueueEntry) => isAged(it) || (type === 'expiring' && it.age === 'fresh')
  const { lists: names, ages } = queueParts[type]
  const runs = categories.flatMap((category) =>
    names.flatMap((list) => ages.map((age): Run => ({ ...queueLists.urgent(list, age, category), ...ways[age] }))),
  )
  const also = overdue.then((items) =>
    items
      .filter((it) => isIn(it, type, at) && isMisplaced(it))
      .map((it) => ({ it, place: orderAt(it, at) }))
      .sort((a, b) => (a.place < b.place ? -1 : 1)),
  )
  return { runs, also, forward: true }
}

/** The queue by creation. An entry expires by its creation time alone, so none is misplaced here. */
export function byCreation(at: number, type: QueueType, forward: boolean): Order {
  const same = (key: string) => key
  const most = type === 'expiring' ? `${new Date(expiringBefore(at)).toISOString()}#~` : undefined
  const runs = queueParts[type].lists.map(
    (list): Run => ({ ...queueLists.created(list), place: same, sk: same, keep: () => true, ...(most && { most }) }),
  )
  return { runs, also: Promise.resolve([]), forward }
}

/** Whether an entry is in the queue of a type at a moment. */
export function isIn(it: QueueEntry, type: QueueType, at: number): boolean {
  if (type === 'all') return true
  return type === 'expiring' ? expires(it, at) : it.types.includes(type)
}

/** Whether an entry has waited for a reviewer for `EXPIRING_DAYS` or longer. */
export const expires = (it: QueueEntry, at: number): boolean =>
  it.status === 'pending_review' && Date.parse(it.created_at) <= expiringBefore(at)

/** The most overdue entries that are read. The sweeper comes every few minutes, so there are few. */
const MOST_OVERDUE = 5000

/** The entries that are still stored under their former age, the latest first. One small call if there are none. */
export async function overdueAt(at: number, limit = MOST_OVERDUE): Promise<QueueEntry[]> {
  const beyond = `${new Date(at).toISOString()}#~`
  const items = await walk({ index: 'gsi4', pk: queueLists.due, forward: false, limit, beyond })
  return items.map((item) => parse(queueByAge, item))
}

/** Yields entries in order after a place, or backwards before it. One call reads the first `chunk` entries of each run. */
export async function* mergeRuns(order: Order, backwards: boolean, place: string | undefined, chunk: number) {
  const forward = order.forward !== backwards
  const streams = [
    ...order.runs.map((run) => stored(run, forward, place, chunk)),
    remembered(order.also, forward, place),
  ]
  const tops = await Promise.all(streams.map((stream) => stream.next()))
  for (;;) {
    let best = -1
    let top: PlacedEntry | undefined
    tops.forEach((each, i) => {
      if (each.done || (top && each.value.place < top.place !== forward)) return
      best = i
      top = each.value
    })
    const stream = streams[best]
    if (!top || !stream) return
    yield top
    tops[best] = await stream.next()
  }
}

/** How many entries one call reads after the first chunk of a run. */
export const CHUNK = 500

async function* stored(
  run: Run,
  forward: boolean,
  place: string | undefined,
  chunk: number,
): AsyncGenerator<PlacedEntry> {
  const { index, pk, most } = run
  let beyond = place === undefined ? (forward ? undefined : most) : run.sk(place)
  for (let limit = chunk; ; limit = CHUNK) {
    const items = await walk({ index, pk, forward, limit, beyond })
    for (const item of items) {
      const sk = String(item[`${index}_sk`])
      if (most !== undefined && sk > most) return
      const it = parse(queueByAge, item)
      if (run.keep(it)) yield { it, place: run.place(sk) }
      beyond = sk
    }
    if (items.length < limit) return
  }
}

async function* remembered(
  also: Promise<readonly PlacedEntry[]>,
  forward: boolean,
  place: string | undefined,
): AsyncGenerator<PlacedEntry> {
  const all = await also
  for (const each of forward ? all : all.toReversed()) {
    if (place === undefined || (each.place !== place && each.place > place === forward)) yield each
  }
}
