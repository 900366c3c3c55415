import { mergeSorted } from '../../base/merge-sorted.ts'
import type { IndexName } from '../../engines/table/index.ts'
import { parse, walk } from '../../engines/table/index.ts'
import { type QueueEntry, queueByAge, queueLists, queueParts } from '../records/queue-entry.ts'
import { agedBefore, expiringBefore, fromAged, orderAt, type QueueType, toAged } from '../records/rules/triage.ts'

/** An entry with its place: a text by which the merged queue is sorted. */
export type PlacedEntry = { entry: QueueEntry; place: string }
/** One order of a queue: the stored lists to merge (`runs`), and the entries that are still stored under their former age (`overdue`). */
export type QueueOrder = { runs: readonly Run[]; overdue: Promise<readonly PlacedEntry[]>; forward: boolean }

type Run = {
  index: IndexName
  pk: string
  /** Converts a sort key of the run into a place in the merged queue. */
  place: (sk: string) => string
  /** Converts a place in the merged queue into a sort key of the run. */
  sk: (place: string) => string
  /** Whether the queue holds this entry of the run at the moment of the question. */
  keep: (entry: QueueEntry) => boolean
  /** The run ends after this sort key. */
  most?: string
}

/**
 * The queue at a moment, most urgent first. Young and aged entries each have an order that time does not change. Entries
 * that passed an age limit since the sweeper's last run are read separately (`overdue`). Without `categories`, all are listed.
 */
export function byUrgencyAt(
  at: number,
  type: QueueType,
  overdue: Promise<readonly QueueEntry[]>,
  categories: readonly (string | undefined)[] = [undefined],
): QueueOrder {
  const isAged = (entry: QueueEntry) => Date.parse(entry.created_at) <= agedBefore(at)
  const same = (key: string) => key
  const young = { place: same, sk: same, keep: (entry: QueueEntry) => !isAged(entry) }
  const aged = { place: (sk: string) => fromAged(sk, at), sk: (place: string) => toAged(place, at), keep: () => true }
  const placements = { fresh: young, expiring: young, aged }
  const isMisplaced = (entry: QueueEntry) => isAged(entry) || (type === 'expiring' && entry.age === 'fresh')
  const { lists, ages } = queueParts[type]
  const runs = categories.flatMap((category) =>
    lists.flatMap((list) =>
      ages.map((age): Run => ({ ...queueLists.urgent(list, age, category), ...placements[age] })),
    ),
  )
  const placed = overdue.then((entries) =>
    entries
      .filter((entry) => isIn(entry, type, at) && isMisplaced(entry))
      .map((entry) => ({ entry, place: orderAt(entry, at) }))
      .sort((a, b) => (a.place < b.place ? -1 : 1)),
  )
  return { runs, overdue: placed, forward: true }
}

/** The queue or its forks by creation. This order does not depend on age classes, so no entry is `overdue`. */
export function byCreation(at: number, type: QueueType | 'forks', forward: boolean): QueueOrder {
  const same = (key: string) => key
  const most = type === 'expiring' ? `${new Date(expiringBefore(at)).toISOString()}#~` : undefined
  const lists = type === 'forks' ? [queueLists.forks] : queueParts[type].lists.map(queueLists.created)
  const runs = lists.map((list): Run => ({ ...list, place: same, sk: same, keep: () => true, ...(most && { most }) }))
  return { runs, overdue: Promise.resolve([]), forward }
}

/** Whether an entry is in the queue of a type at a moment. */
export function isIn(entry: QueueEntry, type: QueueType, at: number): boolean {
  if (type === 'all') return true
  return type === 'expiring' ? isExpiring(entry, at) : entry.types.includes(type)
}

/** Whether an entry has waited for a reviewer for `EXPIRING_DAYS` or longer. */
export const isExpiring = (entry: QueueEntry, at: number): boolean =>
  entry.status === 'pending_review' && Date.parse(entry.created_at) <= expiringBefore(at)

/** The most overdue entries that are read. The sweeper runs every minute, so few are overdue. */
const MOST_OVERDUE = 5000

/** Lists the entries that are still stored under their former age, the latest first. One call, a small one if there are none. */
export async function listOverdue(at: number, limit = MOST_OVERDUE): Promise<QueueEntry[]> {
  const beyond = `${new Date(at).toISOString()}#~`
  const items = await walk({ index: 'gsi4', pk: queueLists.due, forward: false, limit, beyond })
  return items.map((item) => parse(queueByAge, item))
}

/** Yields entries in order after a place, or backwards before it. One call reads the first `chunk` entries of each run. */
export function mergeRuns(
  order: QueueOrder,
  backwards: boolean,
  place: string | undefined,
  chunk: number,
): AsyncGenerator<PlacedEntry> {
  const forward = order.forward !== backwards
  return mergeSorted(
    [...order.runs.map((run) => readRun(run, forward, place, chunk)), readOverdue(order.overdue, forward, place)],
    (a, b) => a.place < b.place === forward,
  )
}

/** Entries that one call reads after the first chunk of a run. */
export const ENTRIES_IN_STEP = 500

async function* readRun(
  run: Run,
  forward: boolean,
  place: string | undefined,
  chunk: number,
): AsyncGenerator<PlacedEntry> {
  const { index, pk, most } = run
  let beyond = place === undefined ? (forward ? undefined : most) : run.sk(place)
  for (let limit = chunk; ; limit = ENTRIES_IN_STEP) {
    const items = await walk({ index, pk, forward, limit, beyond })
    for (const item of items) {
      const sk = String(item[`${index}_sk`])
      if (most !== undefined && sk > most) return
      const entry = parse(queueByAge, item)
      if (run.keep(entry)) yield { entry, place: run.place(sk) }
      beyond = sk
    }
    if (items.length < limit) return
  }
}

async function* readOverdue(
  overdue: Promise<readonly PlacedEntry[]>,
  forward: boolean,
  place: string | undefined,
): AsyncGenerator<PlacedEntry> {
  const entries = await overdue
  for (const placed of forward ? entries : entries.toReversed()) {
    if (place === undefined || (placed.place !== place && placed.place > place === forward)) yield placed
  }
}
