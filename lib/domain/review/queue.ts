import { clock } from '../../base/clock.ts'
import { invalid } from '../../base/errors.ts'
import { fold } from '../../engines/matching/index.ts'
import {
  countKeys,
  DEEPEST_OFFSET,
  getMany,
  itemIn,
  type PageRequest,
  type Stored,
  sumOf,
} from '../../engines/table/index.ts'
import { cacheAnswer } from '../../platform/cache/cached.ts'
import { key } from '../../platform/table/keys.ts'
import { type PeopleById, peopleIn } from '../../platform/users/people.ts'
import { keyOf } from '../../platform/users/users.ts'
import { type RecordItem, recordItem } from '../records/items.ts'
import { type Lease, leaseIn } from '../records/leases.ts'
import { isWaiting, namesOfEntry, type QueueEntry, queueLists } from '../records/queue-entry.ts'
import { DAY_MS, EXPIRING_DAYS, orderAt, type QueueType, queueTypes } from '../records/rules/triage.ts'
import { byCreation, byUrgencyAt, CHUNK, expires, isIn, mergeRuns, type Order, overdueAt } from './queue-order.ts'
import { searchQueue } from './search.ts'

/** The names of an entry, folded for comparison. */
const foldedNames = (it: QueueEntry) => namesOfEntry(it).map(fold).join(' | ')
const touchedAt = ({ updated_at }: QueueEntry) => updated_at

/** The orders of the queue. Those with a function are sorted here; the indexes have the others. */
const sorts = {
  '-triage_priority': undefined,
  created_at: undefined,
  '-created_at': undefined,
  updated_at: touchedAt,
  '-updated_at': touchedAt,
  name: foldedNames,
  '-name': foldedNames,
}
export type Ordering = keyof typeof sorts

/** The filters and the order that a request asks for. */
export type QueueFilter = {
  type: QueueType
  ordering: Ordering
  categories?: readonly string[] | undefined
  kind?: string | undefined
  status?: string | undefined
  search?: string | undefined
  stale_days?: number | undefined
  contradictions_only?: boolean | undefined
  min_worst_source_rank?: number | undefined
  max_trust_tier_rank?: number | undefined
}
/** A waiting record, who holds its lease, and the moment for which its score is computed. */
export type QueueRow = { record: RecordItem; lease: Lease | null; at: number }
export type QueueListing = { count: number; results: QueueRow[]; people: PeopleById; first?: string; last?: string }

/**
 * The most entries that are read for one page.
 *
 * - A type or a category is listed to the end, with its exact size.
 * - A text goes to search.
 * - Any other filter or order sees only the first entries of the type.
 * - A category by creation is filtered out of its type's list. Such a page may be short; `next` goes on.
 */
const LOOKED_AT = 2000

/**
 * One page of the queue, exact at this moment even if the sweeper is late. Costs one call for each run, one for overdue
 * entries, and one read of sizes, records, leases and people.
 */
export async function listQueue(wanted: QueueFilter, place: PageRequest): Promise<QueueListing> {
  const filter = simplify(wanted)
  const { at, cursor } = momentOf(place)
  const isWhole = isListed(filter)
  if (isWhole && !cursor && place.offset > DEEPEST_OFFSET)
    throw invalid({ offset: [`Follow the links in "next" to read beyond ${DEEPEST_OFFSET}.`] })
  const byTriage = filter.ordering === '-triage_priority'
  const overdue = byTriage || filter.type === 'expiring' ? overdueAt(at) : Promise.resolve([])
  const order = byTriage
    ? byUrgencyAt(at, filter.type, overdue, runsFor(filter))
    : byCreation(at, filter.type, filter.ordering === 'created_at')
  const page = isWhole
    ? await readPage(filter, order, { ...place, cursor }, at)
    : await filterPage(filter, order, place, at)

  const sizes = isWhole ? sizesOf(filter) : []
  const found = await getMany([
    ...countKeys(sizes),
    ...page.items.flatMap((it) => [key.head(it.entity_id), key.lease(it.entity_id), keyOf(it.contributor_id)]),
  ])
  const uncounted =
    filter.type === 'expiring' ? (await overdue).filter((it) => it.age === 'fresh' && fits(it, filter, at)) : []
  return {
    count: page.count ?? sumOf(sizes, found) + uncounted.length,
    results: page.items.flatMap((it) => rowIn(found, it.entity_id, at)),
    people: peopleIn(found),
    ...(page.first !== undefined && { first: `${at}|${page.first}` }),
    ...(page.last !== undefined && { last: `${at}|${page.last}` }),
  }
}

/** One waiting record as a row of the queue. Undefined if it does not wait. */
export async function loadQueueRow(entity_id: string): Promise<(QueueRow & { people: PeopleById }) | undefined> {
  const found = await getMany([key.head(entity_id), key.lease(entity_id)], true)
  const [row] = rowIn(found, entity_id, clock.now().getTime())
  return row && { ...row, people: peopleIn(await getMany([keyOf(row.record.contributor_id)])) }
}

/**
 * The sizes of all queues. Cached for 30 seconds, or until one changes. Costs one call for sizes, and one for overdue
 * entries.
 */
export async function countQueues(): Promise<Record<QueueType, number>> {
  const { value } = await cacheAnswer('queue-counts', '', countNow)
  return value
}

async function countNow(): Promise<Record<QueueType, number>> {
  const at = clock.now().getTime()
  const [found, overdue] = await Promise.all([
    getMany(countKeys(queueTypes.map((type) => queueLists.size(type)))),
    overdueAt(at),
  ])
  const uncounted = overdue.filter((it) => it.age === 'fresh' && expires(it, at)).length
  const size = (type: QueueType) => sumOf([queueLists.size(type)], found)
  return {
    all: size('all'),
    new_claims: size('new_claims'),
    conflicts: size('conflicts'),
    flagged: size('flagged'),
    expiring: size('expiring') + uncounted,
  }
}

/** The same request, put to the smallest queue that answers it. */
function simplify({ contradictions_only, stale_days, ...filter }: QueueFilter): QueueFilter {
  if (contradictions_only && ['all', 'conflicts'].includes(filter.type))
    return simplify({ ...filter, stale_days, type: 'conflicts' })
  if (stale_days === EXPIRING_DAYS && ['all', 'expiring'].includes(filter.type))
    return simplify({ ...filter, contradictions_only, type: 'expiring' })
  return { ...filter, contradictions_only, stale_days }
}

/** Up to this many categories are read from their own lists, more from the list of all. */
const MOST_RUNS = 4
const runsFor = ({ categories }: QueueFilter) =>
  categories !== undefined && categories.length <= MOST_RUNS ? categories : undefined

/** Whether the stored lists alone answer the request. */
const isListed = (it: QueueFilter) =>
  sorts[it.ordering] === undefined &&
  !it.contradictions_only &&
  [it.kind, it.status, it.search, it.stale_days, it.min_worst_source_rank, it.max_trust_tier_rank].every(
    (each) => each === undefined,
  )

/** A followed link keeps the order of its first page. After an hour the order is made anew. */
const MOST_AGE = 3_600_000

function momentOf({ from }: PageRequest): { at: number; cursor?: { side: 'after' | 'before'; place: string } } {
  const now = clock.now().getTime()
  const [moment = '', place = ''] = from?.at.split('|') ?? []
  const at = Number(moment)
  if (!from || !(at > now - MOST_AGE)) return { at: now }
  return { at, ...(place && { cursor: { side: from.side, place } }) }
}

type QueuePage = { items: QueueEntry[]; count?: number; first?: string; last?: string }
type Spot = PageRequest & { cursor: ReturnType<typeof momentOf>['cursor'] }

/**
 * A page at an offset, or beside a place. If a category is filtered, it may be short: its edge is the last entry that was
 * read.
 */
async function readPage(
  filter: QueueFilter,
  order: Order,
  { limit, offset, cursor }: Spot,
  at: number,
): Promise<QueuePage> {
  const backwards = cursor?.side === 'before'
  const skip = cursor ? 0 : offset
  const items: QueueEntry[] = []
  const places: string[] = []
  let looked = 0
  let edge: string | undefined
  for await (const { it, place } of mergeRuns(order, backwards, cursor?.place, skip + limit)) {
    looked += 1
    edge = place
    if (fits(it, filter, at)) {
      items.push(it)
      places.push(place)
    }
    if (items.length === skip + limit || looked >= LOOKED_AT + skip) break
  }
  const [page, begin = edge] = [items.slice(skip), places[skip]]
  const [first, last] = backwards ? [edge, begin] : [begin, edge]
  return {
    items: backwards ? page.reverse() : page,
    ...(first !== undefined && { first }),
    ...(last !== undefined && { last }),
  }
}

/** A page of what search finds, or else of the first entries that fit. Its links carry only the moment. */
async function filterPage(
  filter: QueueFilter,
  order: Order,
  { limit, offset }: PageRequest,
  at: number,
): Promise<QueuePage> {
  const items = (await searchEntries(filter, at)) ?? (await readFirstFitting(filter, order, at))
  const sort = sorts[filter.ordering]
  const sorted = sort ? inOrder(items, sort, filter.ordering.startsWith('-')) : items
  return { items: sorted.slice(offset, offset + limit), count: items.length, first: '', last: '' }
}

async function readFirstFitting(filter: QueueFilter, order: Order, at: number): Promise<QueueEntry[]> {
  const items: QueueEntry[] = []
  let looked = 0
  for await (const { it } of mergeRuns(order, false, undefined, CHUNK)) {
    looked += 1
    if (fits(it, filter, at)) items.push(it)
    if (looked >= LOOKED_AT) break
  }
  return items
}

/** Everything that search finds and the other filters let through, in order. Undefined without a text or a search model. */
async function searchEntries({ search, ...filter }: QueueFilter, at: number): Promise<QueueEntry[] | undefined> {
  const found = search === undefined ? undefined : await searchQueue(search, at)
  const place = (it: QueueEntry) =>
    filter.ordering === '-triage_priority' ? orderAt(it, at) : `${it.created_at}#${it.entity_id}`
  return found
    ?.filter((it) => fits(it, filter, at))
    .map((it) => ({ it, place: place(it) }))
    .sort((a, b) => compare(a.place, b.place) * (filter.ordering === '-created_at' ? -1 : 1))
    .map(({ it }) => it)
}

function fits(it: QueueEntry, filter: QueueFilter, at: number): boolean {
  const stale = filter.stale_days === undefined ? undefined : at - filter.stale_days * DAY_MS
  return (
    isIn(it, filter.type, at) &&
    (filter.categories === undefined || filter.categories.includes(it.category)) &&
    (filter.kind === undefined || filter.kind === it.kind) &&
    (filter.status === undefined || filter.status === it.status) &&
    (filter.search === undefined || foldedNames(it).includes(fold(filter.search))) &&
    (stale === undefined || (it.status === 'pending_review' && Date.parse(it.created_at) <= stale)) &&
    (!filter.contradictions_only || it.open_contradictions > 0) &&
    it.worst_source_rank >= (filter.min_worst_source_rank ?? 0) &&
    it.worst_source_rank <= (filter.max_trust_tier_rank ?? Number.POSITIVE_INFINITY)
  )
}

const sizesOf = ({ type, categories }: QueueFilter) =>
  categories === undefined ? [queueLists.size(type)] : categories.map((category) => queueLists.size(type, category))

function rowIn(found: ReadonlyMap<string, Stored>, entity_id: string, at: number): QueueRow[] {
  const it = itemIn(found, recordItem, { entity_id })
  // The index lags: a record that was decided a moment ago is left out.
  return it && isWaiting(it) ? [{ record: it, lease: leaseIn(found, entity_id), at }] : []
}

/** Entries sorted by a text, which is made once for each. */
const inOrder = (items: readonly QueueEntry[], by: (it: QueueEntry) => string, backwards: boolean) =>
  items
    .map((it) => ({ it, text: by(it) }))
    .sort((a, b) => compare(a.text, b.text) * (backwards ? -1 : 1))
    .map(({ it }) => it)

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
