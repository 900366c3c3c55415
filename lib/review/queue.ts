import { cached } from '../cache/cached.ts'
import { clock } from '../clock.ts'
import { invalid } from '../errors.ts'
import { fold } from '../matching/fold.ts'
import { type RecordItem, recordItem } from '../records/items.ts'
import { type Lease, leaseIn } from '../records/leases.ts'
import { lists, namesOfEntry, type Waiting, waits } from '../records/queue-entry.ts'
import { DAY_MS, EXPIRING_DAYS, orderAt, type QueueType, queueTypes } from '../records/rules/triage.ts'
import { countKeys, sumOf } from '../table/counters.ts'
import { key } from '../table/keys.ts'
import { DEEPEST_OFFSET, type PageRequest } from '../table/pages.ts'
import { getMany, itemIn, type Stored } from '../table/read.ts'
import { type PeopleById, peopleIn } from '../users/people.ts'
import { keyOf } from '../users/users.ts'
import { byCreation, byUrgencyAt, CHUNK, expires, from, isIn, type Order, overdueAt } from './queue-order.ts'
import { searchQueue } from './search.ts'

/** The names of an entry without what spellings differ in. */
const foldedNames = (it: Waiting) => namesOfEntry(it).map(fold).join(' | ')
const touchedAt = ({ updated_at }: Waiting) => updated_at

/** By what entries are put in order here; the indexes have the other orders. */
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

/** What is asked of the queue. */
export type Asked = {
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
/** A waiting record, who works on it, and the moment for which its urgency is told. */
export type Row = { record: RecordItem; lease: Lease | null; at: number }
export type Queued = { count: number; results: Row[]; people: PeopleById; first?: string; last?: string }

/**
 * At most this many entries are looked at for one page. Types and categories are listed to the end whatever their size, and their
 * sizes are exact; what is searched is found by the search model; what is filtered or sorted otherwise is found, and counted,
 * among the first of its type. A category by
 * creation is picked out of the list of its type: its pages may be short, and `next` goes on.
 */
const LOOKED_AT = 2000

/**
 * One page of what waits, as it stands at this moment whether or not the sweeper has come by: one call each for the young,
 * the aged and the overdue, and one for size, records, leases and people together.
 */
export async function list(given: Asked, place: PageRequest): Promise<Queued> {
  const asked = simplified(given)
  const { at, cursor } = momentOf(place)
  const isWhole = isListed(asked)
  if (isWhole && !cursor && place.offset > DEEPEST_OFFSET)
    throw invalid({ offset: [`Follow the links in "next" to read beyond ${DEEPEST_OFFSET}.`] })
  const byTriage = asked.ordering === '-triage_priority'
  const overdue = byTriage || asked.type === 'expiring' ? overdueAt(at) : Promise.resolve([])
  const order = byTriage
    ? byUrgencyAt(at, asked.type, overdue, runsFor(asked))
    : byCreation(at, asked.type, asked.ordering === 'created_at')
  const page = isWhole ? await listed(asked, order, { ...place, cursor }, at) : await filtered(asked, order, place, at)

  const sizes = isWhole ? sizesOf(asked) : []
  const found = await getMany([
    ...countKeys(sizes),
    ...page.items.flatMap((it) => [key.head(it.entity_id), key.lease(it.entity_id), keyOf(it.contributor_id)]),
  ])
  const unnoticed =
    asked.type === 'expiring' ? (await overdue).filter((it) => it.age === 'fresh' && fits(it, asked, at)) : []
  return {
    count: page.count ?? sumOf(sizes, found) + unnoticed.length,
    results: page.items.flatMap((it) => rowIn(found, it.entity_id, at)),
    people: peopleIn(found),
    ...(page.first !== undefined && { first: `${at}|${page.first}` }),
    ...(page.last !== undefined && { last: `${at}|${page.last}` }),
  }
}

/** One waiting record as a row of the queue; undefined when it does not wait. */
export async function load(entity_id: string): Promise<(Row & { people: PeopleById }) | undefined> {
  const found = await getMany([key.head(entity_id), key.lease(entity_id)], true)
  const [row] = rowIn(found, entity_id, clock.now().getTime())
  return row && { ...row, people: peopleIn(await getMany([keyOf(row.record.contributor_id)])) }
}

/** How many wait, by type; kept for 30 seconds or until one of them changes. One call for the sizes, one for what expires unnoticed. */
export async function counts(): Promise<Record<QueueType, number>> {
  const { value } = await cached('queue-counts', '', countNow)
  return value
}

async function countNow(): Promise<Record<QueueType, number>> {
  const at = clock.now().getTime()
  const [found, overdue] = await Promise.all([
    getMany(countKeys(queueTypes.map((type) => lists.size(type)))),
    overdueAt(at),
  ])
  const unnoticed = overdue.filter((it) => it.age === 'fresh' && expires(it, at)).length
  const size = (type: QueueType) => sumOf([lists.size(type)], found)
  return {
    all: size('all'),
    new_claims: size('new_claims'),
    conflicts: size('conflicts'),
    flagged: size('flagged'),
    expiring: size('expiring') + unnoticed,
  }
}

/** The same question by the smallest queue that answers it. */
function simplified({ contradictions_only, stale_days, ...asked }: Asked): Asked {
  if (contradictions_only && ['all', 'conflicts'].includes(asked.type))
    return simplified({ ...asked, stale_days, type: 'conflicts' })
  if (stale_days === EXPIRING_DAYS && ['all', 'expiring'].includes(asked.type))
    return simplified({ ...asked, contradictions_only, type: 'expiring' })
  return { ...asked, contradictions_only, stale_days }
}

/** A few categories are read from their own lists, many from the list of all. */
const MOST_RUNS = 4
const runsFor = ({ categories }: Asked) =>
  categories !== undefined && categories.length <= MOST_RUNS ? categories : undefined

/** Whether the lists as they are stored answer it. */
const isListed = (it: Asked) =>
  sorts[it.ordering] === undefined &&
  !it.contradictions_only &&
  [it.kind, it.status, it.search, it.stale_days, it.min_worst_source_rank, it.max_trust_tier_rank].every(
    (each) => each === undefined,
  )

/** A followed link goes on in the order of the moment when its first page was made; after an hour the order is made anew. */
const MOST_AGE = 3_600_000

function momentOf({ from }: PageRequest): { at: number; cursor?: { side: 'after' | 'before'; place: string } } {
  const now = clock.now().getTime()
  const [moment = '', place = ''] = from?.at.split('|') ?? []
  const at = Number(moment)
  if (!from || !(at > now - MOST_AGE)) return { at: now }
  return { at, ...(place && { cursor: { side: from.side, place } }) }
}

type QueuePage = { items: Waiting[]; count?: number; first?: string; last?: string }
type Spot = PageRequest & { cursor: ReturnType<typeof momentOf>['cursor'] }

/** A page at an offset, or beside a place. In a category it may be short; what it has looked at is behind it. */
async function listed(asked: Asked, order: Order, { limit, offset, cursor }: Spot, at: number): Promise<QueuePage> {
  const backwards = cursor?.side === 'before'
  const skip = cursor ? 0 : offset
  const items: Waiting[] = []
  const places: string[] = []
  let looked = 0
  let edge: string | undefined
  for await (const { it, place } of from(order, backwards, cursor?.place, skip + limit)) {
    looked += 1
    edge = place
    if (fits(it, asked, at)) {
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

/** A page of what a search finds, or without one of what fits among the first entries. Its links carry the moment alone. */
async function filtered(asked: Asked, order: Order, { limit, offset }: PageRequest, at: number): Promise<QueuePage> {
  const items = (await searched(asked, at)) ?? (await firstThatFit(asked, order, at))
  const sort = sorts[asked.ordering]
  const sorted = sort ? inOrder(items, sort, asked.ordering.startsWith('-')) : items
  return { items: sorted.slice(offset, offset + limit), count: items.length, first: '', last: '' }
}

async function firstThatFit(asked: Asked, order: Order, at: number): Promise<Waiting[]> {
  const items: Waiting[] = []
  let looked = 0
  for await (const { it } of from(order, false, undefined, CHUNK)) {
    looked += 1
    if (fits(it, asked, at)) items.push(it)
    if (looked >= LOOKED_AT) break
  }
  return items
}

/** Everything that a search finds and the other filters let through, in order; undefined without a search or a model of it. */
async function searched({ search, ...asked }: Asked, at: number): Promise<Waiting[] | undefined> {
  const found = search === undefined ? undefined : await searchQueue(search, at)
  const place = (it: Waiting) =>
    asked.ordering === '-triage_priority' ? orderAt(it, at) : `${it.created_at}#${it.entity_id}`
  return found
    ?.filter((it) => fits(it, asked, at))
    .map((it) => ({ it, place: place(it) }))
    .sort((a, b) => compare(a.place, b.place) * (asked.ordering === '-created_at' ? -1 : 1))
    .map(({ it }) => it)
}

function fits(it: Waiting, asked: Asked, at: number): boolean {
  const stale = asked.stale_days === undefined ? undefined : at - asked.stale_days * DAY_MS
  return (
    isIn(it, asked.type, at) &&
    (asked.categories === undefined || asked.categories.includes(it.category)) &&
    (asked.kind === undefined || asked.kind === it.kind) &&
    (asked.status === undefined || asked.status === it.status) &&
    (asked.search === undefined || foldedNames(it).includes(fold(asked.search))) &&
    (stale === undefined || (it.status === 'pending_review' && Date.parse(it.created_at) <= stale)) &&
    (!asked.contradictions_only || it.open_contradictions > 0) &&
    it.worst_source_rank >= (asked.min_worst_source_rank ?? 0) &&
    it.worst_source_rank <= (asked.max_trust_tier_rank ?? Number.POSITIVE_INFINITY)
  )
}

const sizesOf = ({ type, categories }: Asked) =>
  categories === undefined ? [lists.size(type)] : categories.map((category) => lists.size(type, category))

function rowIn(found: ReadonlyMap<string, Stored>, entity_id: string, at: number): Row[] {
  const it = itemIn(found, recordItem, { entity_id })
  // An index may lag: what has been decided in between is left out.
  return it && waits(it) ? [{ record: it, lease: leaseIn(found, entity_id), at }] : []
}

/** Entries by some text of theirs, which is made once for each. */
const inOrder = (items: readonly Waiting[], by: (it: Waiting) => string, backwards: boolean) =>
  items
    .map((it) => ({ it, text: by(it) }))
    .sort((a, b) => compare(a.text, b.text) * (backwards ? -1 : 1))
    .map(({ it }) => it)

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
