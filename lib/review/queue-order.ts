import { byAge, lists, madeUpOf, type Waiting } from '../records/queue-entry.ts'
import { agedBefore, expiringBefore, fromAged, orderAt, type QueueType, toAged } from '../records/rules/triage.ts'
import { parse } from '../table/item.ts'
import type { IndexName } from '../table/keys.ts'
import { walk } from '../table/read.ts'

/** An entry with its place: text that sorts as the whole list does. */
export type Placed = { it: Waiting; place: string }
/** The queue of a type in one order, as the stored runs that merge into it and what is read beside them. */
export type Order = { runs: readonly Run[]; also: Promise<readonly Placed[]>; forward: boolean }

type Run = {
  index: IndexName
  pk: string
  /** From a sort key of the run to a place in the whole, and back. */
  place: (sk: string) => string
  sk: (place: string) => string
  keep: (it: Waiting) => boolean
  /** What sorts behind this does not belong to it. */
  most?: string
}

/**
 * Most urgent first, as it stands at a moment; of all categories, or with some named at least all of those. The young and the aged each are in an order that time does not change; in
 * between is what has passed from one to the other and still lies where it was.
 */
export function byUrgencyAt(
  at: number,
  type: QueueType,
  overdue: Promise<readonly Waiting[]>,
  categories: readonly (string | undefined)[] = [undefined],
): Order {
  const isAged = (it: Waiting) => Date.parse(it.created_at) <= agedBefore(at)
  const same = (key: string) => key
  const young = { place: same, sk: same, keep: (it: Waiting) => !isAged(it) }
  const aged = { place: (sk: string) => fromAged(sk, at), sk: (place: string) => toAged(place, at), keep: () => true }
  const ways = { fresh: young, expiring: young, aged }
  const isMisplaced = (it: Waiting) => isAged(it) || (type === 'expiring' && it.age === 'fresh')
  const { lists: names, ages } = madeUpOf[type]
  const runs = categories.flatMap((category) =>
    names.flatMap((list) => ages.map((age): Run => ({ ...lists.urgent(list, age, category), ...ways[age] }))),
  )
  const also = overdue.then((items) =>
    items
      .filter((it) => isIn(it, type, at) && isMisplaced(it))
      .map((it) => ({ it, place: orderAt(it, at) }))
      .sort((a, b) => (a.place < b.place ? -1 : 1)),
  )
  return { runs, also, forward: true }
}

/** By creation. What expires is what was created early enough, so that nothing is ever misplaced here. */
export function byCreation(at: number, type: QueueType, forward: boolean): Order {
  const same = (key: string) => key
  const most = type === 'expiring' ? `${new Date(expiringBefore(at)).toISOString()}#~` : undefined
  const runs = madeUpOf[type].lists.map(
    (list): Run => ({ ...lists.created(list), place: same, sk: same, keep: () => true, ...(most && { most }) }),
  )
  return { runs, also: Promise.resolve([]), forward }
}

/** Whether an entry is in the queue of a type at a moment. */
export function isIn(it: Waiting, type: QueueType, at: number): boolean {
  if (type === 'all') return true
  return type === 'expiring' ? expires(it, at) : it.types.includes(type)
}

/** Whether an entry has waited so long that it expires. */
export const expires = (it: Waiting, at: number): boolean =>
  it.status === 'pending_review' && Date.parse(it.created_at) <= expiringBefore(at)

/** The sweeper comes every few minutes; what it has not seen yet is read, this much at most. */
const MOST_OVERDUE = 5000

/** What has passed into another age at a moment and lies where it was; the latest first. One small call when there is none. */
export async function overdueAt(at: number, limit = MOST_OVERDUE): Promise<Waiting[]> {
  const beyond = `${new Date(at).toISOString()}#~`
  const items = await walk({ index: 'gsi4', pk: lists.due, forward: false, limit, beyond })
  return items.map((item) => parse(byAge, item))
}

/** Entries in order from a place on, or from that place back; the first `chunk` of each run come with one call. */
export async function* from(order: Order, backwards: boolean, place: string | undefined, chunk: number) {
  const forward = order.forward !== backwards
  const streams = [
    ...order.runs.map((run) => stored(run, forward, place, chunk)),
    remembered(order.also, forward, place),
  ]
  const tops = await Promise.all(streams.map((stream) => stream.next()))
  for (;;) {
    let best = -1
    let top: Placed | undefined
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

/** Entries that one call reads once a reader goes on past the first page. */
export const CHUNK = 500

async function* stored(run: Run, forward: boolean, place: string | undefined, chunk: number): AsyncGenerator<Placed> {
  const { index, pk, most } = run
  let beyond = place === undefined ? (forward ? undefined : most) : run.sk(place)
  for (let limit = chunk; ; limit = CHUNK) {
    const items = await walk({ index, pk, forward, limit, beyond })
    for (const item of items) {
      const sk = String(item[`${index}_sk`])
      if (most !== undefined && sk > most) return
      const it = parse(byAge, item)
      if (run.keep(it)) yield { it, place: run.place(sk) }
      beyond = sk
    }
    if (items.length < limit) return
  }
}

async function* remembered(
  also: Promise<readonly Placed[]>,
  forward: boolean,
  place: string | undefined,
): AsyncGenerator<Placed> {
  const all = await also
  for (const each of forward ? all : all.toReversed()) {
    if (place === undefined || (each.place !== place && each.place > place === forward)) yield each
  }
}
