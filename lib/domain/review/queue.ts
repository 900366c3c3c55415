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
import {
  byCreation,
  byUrgencyAt,
  ENTRIES_IN_STEP,
  isExpiring,
  isIn,
  listOverdue,
  mergeRuns,
  type QueueOrder,
} from './queue-order.ts'
import { searchQueue } from './search.ts'

/** The names of an entry, folded for comparison. */
const foldedNames = (entry: QueueEntry) => namesOfEntry(entry).map(fold).join(' | ')
const updateTime = ({ updated_at }: QueueEntry) => updated_at

/**
 * The orders of the queue, each with the text of an entry to sort by. Orders that are undefined here are those of the indexes. The order
 * `doubt` is sorted by estimates of lib/domain/doubt.
 */
const sorts = {
  '-triage_priority': undefined,
  created_at: undefined,
  '-created_at': undefined,
  updated_at: updateTime,
  '-updated_at': updateTime,
  name: foldedNames,
  '-name': foldedNames,
  doubt: ({ entity_id }: QueueEntry) => entity_id,
}
export type Ordering = keyof typeof sorts

export type QueueFilter = {
  type: QueueType
  ordering: Ordering
  categories?: readonly string[] | undefined
  kind?: string | undefined
  status?: string | undefined
  search?: string | undefined
  stale_days?: number | undefined
  contradictions_only?: boolean | undefined
  /** Forks alone. They are listed by creation. */
  forks_only?: boolean | undefined
  min_worst_source_rank?: number | undefined
  max_trust_tier_rank?: number | undefined
}
/** A waiting record, who holds its lease, and the moment for which its score is computed. */
export type QueueRow = { record: RecordItem; lease: Lease | null; at: number }
export type QueueListing = { count: number; results: QueueRow[]; people: PeopleById; first?: string; last?: string }

/**
 * The most entries that are read for one page.
 *
 * - Without a filter, or by category alone, the whole queue can be paged through, and its size is exact.
 * - A text is looked up by search, which this does not limit.
 * - Any other filter or order sees only this many entries from the start of the type's list.
 * - A category in the order of creation is picked from its type's list. Such a page may be short, and `next` continues it.
 */
const MOST_READ = 2000

/**
 * Lists one page of the queue, exact at this moment even if the sweeper is late. Costs one call for each stored list that is merged,
 * one for overdue entries, and one for sizes, records, leases and people. Fails with `invalid` if the offset is too deep.
 */
export async function listQueue(requested: QueueFilter, place: PageRequest): Promise<QueueListing> {
  const filter = simplify(requested)
  const { at, cursor } = momentOf(place)
  const isWhole = isListed(filter)
  if (isWhole && !cursor && place.offset > DEEPEST_OFFSET)
    throw invalid({ offset: [`Follow the links in "next" to read beyond ${DEEPEST_OFFSET}.`] })
  const byTriage = filter.ordering === '-triage_priority' && !filter.forks_only
  const overdue = byTriage || filter.type === 'expiring' ? listOverdue(at) : Promise.resolve([])
  const order = byTriage
    ? byUrgencyAt(at, filter.type, overdue, runsFor(filter))
    : byCreation(at, filter.forks_only ? 'forks' : filter.type, filter.ordering !== '-created_at')
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

/** Loads one waiting record as a row of the queue. Undefined if it does not wait. */
export async function loadQueueRow(entity_id: string): Promise<(QueueRow & { people: PeopleById }) | undefined> {
  const found = await getMany([key.head(entity_id), key.lease(entity_id)], true)
  const [row] = rowIn(found, entity_id, clock.now().getTime())
  return row && { ...row, people: peopleIn(await getMany([keyOf(row.record.contributor_id)])) }
}

/**
 * Returns the sizes of all queues. They are cached for 30 seconds, or until one changes. Costs one call for sizes, and one
 * for overdue entries.
 */
export async function countQueues(): Promise<Record<QueueType | 'forks', number>> {
  const { value } = await cacheAnswer('queue-counts', '', countNow)
  return value
}

async function countNow(): Promise<Record<QueueType | 'forks', number>> {
  const at = clock.now().getTime()
  const [found, overdue] = await Promise.all([
    getMany(countKeys([...queueTypes, 'forks' as const].map((type) => queueLists.size(type)))),
    listOverdue(at),
  ])
  const uncounted = overdue.filter((it) => it.age === 'fresh' && isExpiring(it, at)).length
  const size = (type: QueueType | 'forks') => sumOf([queueLists.size(type)], found)
  return {
    all: size('all'),
    new_claims: size('new_claims'),
    conflicts: size('conflicts'),
    flagged: size('flagged'),
    expiring: size('expiring') + uncounted,
    forks: size('forks'),
  }
}

/** Replaces filters by a queue that holds exactly what they select. Example: `contradictions_only` becomes the type `conflicts`. */
function simplify({ contradictions_only, stale_days, ...filter }: QueueFilter): QueueFilter {
  if (contradictions_only && ['all', 'conflicts'].includes(filter.type))
    return simplify({ ...filter, stale_days, type: 'conflicts' })
  if (stale_days === EXPIRING_DAYS && ['all', 'expiring'].includes(filter.type))
    return simplify({ ...filter, contradictions_only, type: 'expiring' })
  return { ...filter, contradictions_only, stale_days }
}

/** The most categories that are read from lists of their own. With more categories, their entries are picked from the list of all. */
const MOST_CATEGORY_LISTS = 4
const runsFor = ({ categories }: QueueFilter) =>
  categories !== undefined && categories.length <= MOST_CATEGORY_LISTS ? categories : undefined

/** Whether the stored lists hold exactly what the request filters by, in its order. */
const isListed = (filter: QueueFilter) =>
  sorts[filter.ordering] === undefined &&
  !filter.contradictions_only &&
  filter.kind === undefined &&
  filter.status === undefined &&
  filter.search === undefined &&
  filter.stale_days === undefined &&
  filter.min_worst_source_rank === undefined &&
  filter.max_trust_tier_rank === undefined

/** Milliseconds for which a followed link keeps the order of its first page: an hour. Then the order is computed again. */
const ORDER_LIFETIME = 3_600_000

function momentOf({ from }: PageRequest): { at: number; cursor?: { side: 'after' | 'before'; place: string } } {
  const now = clock.now().getTime()
  const [moment = '', place = ''] = from?.at.split('|') ?? []
  const at = Number(moment)
  if (!from || !(at > now - ORDER_LIFETIME)) return { at: now }
  return { at, ...(place && { cursor: { side: from.side, place } }) }
}

type QueuePage = { items: QueueEntry[]; count?: number; first?: string; last?: string }
type QueuePosition = PageRequest & { cursor: ReturnType<typeof momentOf>['cursor'] }

/**
 * Reads a page by offset, or next to the sort key of a followed link. With a category filter the page may be short, because
 * reading stops after `MOST_READ` entries. Then `first` or `last` is the sort key of the last entry that was read.
 */
async function readPage(
  filter: QueueFilter,
  order: QueueOrder,
  { limit, offset, cursor }: QueuePosition,
  at: number,
): Promise<QueuePage> {
  const backwards = cursor?.side === 'before'
  const skip = cursor ? 0 : offset
  const items: QueueEntry[] = []
  const places: string[] = []
  let read = 0
  let edge: string | undefined
  for await (const { entry, place } of mergeRuns(order, backwards, cursor?.place, skip + limit)) {
    read += 1
    edge = place
    if (fits(entry, filter, at)) {
      items.push(entry)
      places.push(place)
    }
    if (items.length === skip + limit || read >= MOST_READ + skip) break
  }
  const [page, begin = edge] = [items.slice(skip), places[skip]]
  const [first, last] = backwards ? [edge, begin] : [begin, edge]
  return {
    items: backwards ? page.reverse() : page,
    ...(first !== undefined && { first }),
    ...(last !== undefined && { last }),
  }
}

/** Reads a page of the entries that search finds; without a text, of the first entries that fit. Links to other pages carry only the moment. */
async function filterPage(
  filter: QueueFilter,
  order: QueueOrder,
  { limit, offset }: PageRequest,
  at: number,
): Promise<QueuePage> {
  const items = (await searchEntries(filter, at)) ?? (await readFirstFitting(filter, order, at))
  const sort = filter.ordering === 'doubt' ? await loadDoubtOrder(items) : sorts[filter.ordering]
  const sorted = sort ? sortEntries(items, sort, filter.ordering.startsWith('-')) : items
  return { items: sorted.slice(offset, offset + limit), count: items.length, first: '', last: '' }
}

/** The order by doubt. Its code is imported when somebody asks for it. */
const loadDoubtOrder = async (entries: readonly QueueEntry[]) =>
  (await import('../doubt/estimate.ts')).doubtOrder(entries)

async function readFirstFitting(filter: QueueFilter, order: QueueOrder, at: number): Promise<QueueEntry[]> {
  const items: QueueEntry[] = []
  let read = 0
  for await (const { entry } of mergeRuns(order, false, undefined, ENTRIES_IN_STEP)) {
    read += 1
    if (fits(entry, filter, at)) items.push(entry)
    if (read >= MOST_READ) break
  }
  return items
}

/** Searches the queue by name, applies the other filters, and sorts. Undefined without a text or a search model. */
async function searchEntries({ search, ...filter }: QueueFilter, at: number): Promise<QueueEntry[] | undefined> {
  const found = search === undefined ? undefined : await searchQueue(search, at)
  const place = (entry: QueueEntry) =>
    filter.ordering === '-triage_priority' ? orderAt(entry, at) : `${entry.created_at}#${entry.entity_id}`
  const fitting = found?.filter((entry) => fits(entry, filter, at))
  return fitting && sortEntries(fitting, place, filter.ordering === '-created_at')
}

function fits(entry: QueueEntry, filter: QueueFilter, at: number): boolean {
  const stale = filter.stale_days === undefined ? undefined : at - filter.stale_days * DAY_MS
  return (
    isIn(entry, filter.type, at) &&
    (filter.categories === undefined || filter.categories.includes(entry.category)) &&
    (filter.kind === undefined || filter.kind === entry.kind) &&
    (filter.status === undefined || filter.status === entry.status) &&
    (filter.search === undefined || foldedNames(entry).includes(fold(filter.search))) &&
    (stale === undefined || (entry.status === 'pending_review' && Date.parse(entry.created_at) <= stale)) &&
    (!filter.contradictions_only || entry.open_contradictions > 0) &&
    (!filter.forks_only || entry.fork) &&
    entry.worst_source_rank >= (filter.min_worst_source_rank ?? 0) &&
    entry.worst_source_rank <= (filter.max_trust_tier_rank ?? Number.POSITIVE_INFINITY)
  )
}

function sizesOf({ type, forks_only, categories }: QueueFilter): string[] {
  const list = forks_only ? 'forks' : type
  return categories === undefined ? [queueLists.size(list)] : categories.map((it) => queueLists.size(list, it))
}

function rowIn(found: ReadonlyMap<string, Stored>, entity_id: string, at: number): QueueRow[] {
  const record = itemIn(found, recordItem, { entity_id })
  // The index lags, so it may still list a record that was decided a moment ago.
  return record && isWaiting(record) ? [{ record, lease: leaseIn(found, entity_id), at }] : []
}

/** Folding names is slow, so the text of each entry is computed once, before the sort. */
const sortEntries = (entries: readonly QueueEntry[], textOf: (entry: QueueEntry) => string, backwards: boolean) =>
  entries
    .map((entry) => ({ entry, text: textOf(entry) }))
    .sort((a, b) => compare(a.text, b.text) * (backwards ? -1 : 1))
    .map(({ entry }) => entry)

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
