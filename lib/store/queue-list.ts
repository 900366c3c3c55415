import { clock } from '../clock.ts'
import { fold } from '../domain/fold.ts'
import { agedBefore, DAY, expiringBefore, fromAged, orderAt, type QueueType, toAged, youngOrder } from '../domain/triage.ts'
import { invalid } from '../errors.ts'
import { parse } from '../table/item.ts'
import { type IndexName, type Key, key } from '../table/keys.ts'
import { countKeys, getMany, type Stored, sumOf, walk } from '../table/read.ts'
import { type Lease, leaseIn } from './leases.ts'
import { DEEPEST_OFFSET, type Place } from './lists.ts'
import { type People, peopleIn } from './people.ts'
import { byAge, byUrgency, indexOf, lists, type Waiting, waits } from './queue.ts'
import { type Head, head } from './record-items.ts'
import { keyOf } from './users.ts'

export const orderings = ['-triage_priority', 'created_at', '-created_at', 'updated_at', '-updated_at', 'name', '-name'] as const

/** What is asked of the queue. A type and categories have exact sizes; the rest is looked for among the first LOOKED_AT. */
export type Asked = {
  type: QueueType
  ordering: (typeof orderings)[number]
  categories?: readonly string[] | undefined
  kind?: string | undefined
  status?: string | undefined
  search?: string | undefined
  stale_days?: number | undefined
  contradictions_only?: boolean | undefined
  min_worst_source_rank?: number | undefined
  max_trust_tier_rank?: number | undefined
}
/** A waiting record, who works on it, and the moment for which its urgency is told. */
export type Row = { head: Head; lease: Lease | null; at: number }
export type Queued = { count: number; results: Row[]; people: People; first?: string | undefined; last?: string | undefined }

/** So many entries are looked at for one page where not all of them are wanted. */
export const LOOKED_AT = 2000

/**
 * One page of what waits, as it stands at this moment, whether or not the sweeper has come by: a call for the young, one
 * for the aged, one for what has passed from one to the other unnoticed, and one for sizes, records and people together.
 */
export async function list(asked: Asked, place: Place): Promise<Queued> {
  const { at, from } = momentOf(place)
  if (!from && place.offset > DEEPEST_OFFSET)
    throw invalid({ offset: [`Follow the links in "next" to read beyond ${DEEPEST_OFFSET}.`] })
  const overdue = await overdueAt(at)
  const order = orderOf(asked, at, overdue)
  const page = isExact(asked)
    ? await exactPage(asked, order, { ...place, from }, at)
    : await filteredPage(asked, order, place, at)
  const sizes = sizesOf(asked)
  const found = await getMany([...countKeys(page.count === undefined ? sizes : []), ...page.items.flatMap(beside)])
  const unnoticed = overdue.filter((it) => asked.type === 'expiring' && it.age === 'fresh' && fits(it, asked, at)).length
  return {
    count: page.count ?? sumOf(sizes, found) + unnoticed,
    results: page.items.flatMap((it) => rowOf(it.entity_id, found, at)),
    people: peopleIn(found),
    first: page.first && `${at}|${page.first}`,
    last: page.last && `${at}|${page.last}`,
  }
}

/** One waiting record as a row of the queue; undefined when it does not wait. */
export async function load(entity_id: string): Promise<{ row: Row; people: People } | undefined> {
  const found = await getMany([key.head(entity_id), key.lease(entity_id)])
  const [row] = rowOf(entity_id, found, clock.now().getTime())
  if (!row) return undefined
  const people = await getMany([row.head.contributor_id, ...(row.lease ? [row.lease.held_by] : [])].map(keyOf))
  return { row, people: peopleIn(people) }
}

/** How many wait, by type: one call for the sizes, one for what expires unnoticed. */
export async function counts(): Promise<Record<QueueType, number>> {
  const at = clock.now().getTime()
  const types = ['all', 'new_claims', 'conflicts', 'flagged', 'expiring'] as const
  const [found, overdue] = await Promise.all([
    getMany(countKeys(types.map((type) => lists.size(type)))),
    overdueAt(at),
  ])
  const size = (type: QueueType) => sumOf([lists.size(type)], found)
  const unnoticed = overdue.filter((it) => it.age === 'fresh' && expires(it, at)).length
  return {
    all: size('all'),
    new_claims: size('new_claims'),
    conflicts: size('conflicts'),
    flagged: size('flagged'),
    expiring: size('expiring') + unnoticed,
  }
}

/** The sweeper comes every few minutes; what it has not seen yet is read here, this much at most. */
const MOST_OVERDUE = 5000

/** What has passed into another age since the sweeper came by. Costs one small call when there is none. */
export async function overdueAt(at: number, limit = MOST_OVERDUE): Promise<Waiting[]> {
  const beyond = `${iso(at)}#~`
  const items = await walk({ index: 'owner_kind', pk: lists.due, forward: false, limit, beyond })
  return items.map((item) => parse(byAge, item))
}

/** A followed link goes on in the order of the moment when the first page was made; for an hour, then the order is made anew. */
const MOST_AGE = 3_600_000

function momentOf({ from }: Place): { at: number; from?: Place['from'] } {
  const now = clock.now().getTime()
  const [at = '', place = ''] = from?.at.split('|') ?? []
  if (!from || !(Number(at) > now - MOST_AGE)) return { at: now }
  return { at: Number(at), from: { side: from.side, at: place } }
}

/** A sorted run of entries. `order` tells an entry's place in the whole, `start` where a place of the whole lies in the run. */
type Run = {
  index: IndexName
  pk: string
  order: (it: Waiting) => string
  start: (place: string) => string
  keep: (it: Waiting) => boolean
  /** Nothing at or beyond this sort key belongs to it. */
  below?: string
}
type Order = { runs: Run[]; also: { it: Waiting; at: string }[]; forward: boolean; sort?: (a: Waiting, b: Waiting) => number }

function orderOf(asked: Asked, at: number, overdue: readonly Waiting[]): Order {
  const type = narrowest(asked)
  return asked.ordering === '-triage_priority'
    ? urgencyOf(type, at, overdue)
    : { ...timeOf(type, at), forward: asked.ordering === 'created_at', ...sorts[asked.ordering] }
}

/** The smallest queue that holds everything asked for. */
function narrowest({ type, contradictions_only, stale_days }: Asked): QueueType {
  if (contradictions_only) return 'conflicts'
  return type === 'all' && (stale_days ?? 0) * DAY >= STALE ? 'expiring' : type
}
const STALE = -expiringBefore(0)

/** Young and aged, each in an order that time does not change, and between them what is overdue. */
function urgencyOf(type: QueueType, at: number, overdue: readonly Waiting[]): Order {
  const isAged = (it: Waiting) => Date.parse(it.created_at) <= agedBefore(at)
  const placed = (it: Waiting) => (isAged(it) ? it.age !== 'aged' : type === 'expiring' && it.age === 'fresh')
  const whole = (it: Waiting) => it
  const young: Run = {
    ...{ index: indexOf[type], pk: lists.young(type), order: youngOrder, start: (place) => place },
    keep: (it) => !isAged(it),
  }
  const aged: Run = {
    ...{ index: indexOf[type], pk: lists.aged(type), start: (place) => toAged(place, at), keep: () => true },
    order: (it) => fromAged(agedKeyOf(it), at),
  }
  const also = overdue.filter((it) => isIn(it, type, at) && placed(it)).map((it) => ({ it: whole(it), at: orderAt(it, at) }))
  return { runs: [young, aged], also: also.sort((a, b) => compare(a.at, b.at)), forward: true }
}

/** By time of creation nothing is ever overdue: what expires is what was created early enough. */
function timeOf(type: QueueType, at: number): Pick<Order, 'runs' | 'also'> {
  const run = (index: IndexName, pk: string): Run => ({
    ...{ index, pk, order: (it) => `${it.created_at}#${it.entity_id}`, start: (place) => place, keep: () => true },
    ...(type === 'expiring' && { below: `${iso(expiringBefore(at))}#~` }),
  })
  if (type === 'expiring') return { runs: [run('every', lists.status('pending_review'))], also: [] }
  if (type !== 'all') return { runs: [run(indexOf[type], lists.created(type))], also: [] }
  return { runs: (['pending_review', 'pending_revision'] as const).map((it) => run('every', lists.status(it))), also: [] }
}

/** Orders that no list keeps: of the newest LOOKED_AT entries. */
const sorts: Readonly<Record<string, Pick<Order, 'sort'>>> = {
  updated_at: { sort: (a, b) => compare(a.updated_at, b.updated_at) },
  '-updated_at': { sort: (a, b) => compare(b.updated_at, a.updated_at) },
  name: { sort: (a, b) => compare(a.folded, b.folded) },
  '-name': { sort: (a, b) => compare(b.folded, a.folded) },
}
