import { invalid } from '../../base/errors.ts'
import { lru } from '../../base/lru.ts'
import { currentMeter } from '../../base/telemetry/request-cost.ts'
import { countKeys, sumOf } from './counters.ts'
import type { IndexName, Key } from './keys.ts'
import { getMany, type Stored, type Walk, walk, walkTable } from './read.ts'

/** Where a page is in its list: at an offset, or, if a link was followed, beyond the sort key that the link carried. */
export type PageRequest = { limit: number; offset: number; from?: { side: 'after' | 'before'; at: string } | undefined }
/** A partition of an index, or the items of a partition of the table with this prefix. The table's items are read strongly consistent. */
export type Partition = { index: IndexName; pk: string } | { pk: string; prefix: string }
export type List = {
  /** The partitions of the list. Their sort keys have one form, so that they can be merged. */
  partitions: readonly Partition[]
  /** Names of the counters whose sum is the list's size. */
  counted: readonly string[]
  /** Oldest first instead of newest first. */
  forward?: boolean
  only?: Walk['only']
  /** Reads only these members of its items. For lists in an index. */
  members?: Walk['members']
  /** The nth counter is the size of the nth partition, so a partition that is known to be empty is not read. */
  isCountedEach?: boolean
  /** Items are spread over the partitions at random, so each partition holds an equal share of a page. */
  isSpread?: boolean
  /** Only items whose member `has[0]` has a member `has[1]`. */
  has?: Walk['has']
  /** The last part of each entry's sort key, oldest first, if an item holds several entries. Without this function each item is one entry. */
  entries?: (item: Stored) => readonly string[]
}
export type Listing = {
  /** The item of each entry. */
  items: Stored[]
  /** The sort key of each entry: the key of its item, with the entry's last part if an item holds several. */
  places: string[]
  count: number
  found: ReadonlyMap<string, Stored>
  first?: string
  last?: string
}

/** A page of results. The sort keys at its edges lead to the pages before and after it. */
export type PageResult<T> = { count: number; results: T[]; first?: string | undefined; last?: string | undefined }

/**
 * The highest offset. All items before an offset are read, so a higher one is refused. Links in `next` hold a sort key: they reach any depth
 * at the cost of one page.
 */
export const DEEPEST_OFFSET = 1000
/** Entries that are read first on the way to an offset. Their cost shows what the rest would cost. */
const FIRST_ENTRIES = 50
/** The most capacity units for a page and the way to it. */
const MOST_UNITS = 90

/**
 * Reads one page of a list, usually with one call for each partition. One more call reads the size of the list and the items under `also`,
 * into `found`. Several partitions are merged by sort key.
 */
export async function readList(
  list: List,
  place: PageRequest,
  also: (items: Stored[]) => readonly Key[] | Promise<readonly Key[]> = () => [],
): Promise<Listing> {
  const asked = list.isCountedEach ? withoutEmpty(list) : list.partitions
  const page = await pageOf({ ...list, partitions: asked }, place)
  const items = page.map((it) => it.item)
  const found = await getMany([...countKeys(list.counted), ...(await also(items))])
  if (list.isCountedEach) noteEmpty(list, found)
  // A partition that was empty has items now.
  if (asked.length < list.partitions.length && withoutEmpty(list).some((it) => !asked.includes(it)))
    return readList(list, place, also)
  const [first, last] = [page.at(0)?.at, page.at(-1)?.at]
  const places = page.map((it) => it.at)
  return { items, places, found, count: sumOf(list.counted, found), ...(first && { first }), ...(last && { last }) }
}

/**
 * Counters of partitions that were empty at the last read of this process. Such a partition is not read until its size, which is
 * read with every page, is more than 0. Most lists have such a partition: few people have drafts, for example.
 */
const empty = lru<string, true>(5000)

const withoutEmpty = ({ partitions, counted }: List): readonly Partition[] =>
  partitions.filter((_, i) => !empty.get(counted[i] ?? ''))

function noteEmpty({ counted }: List, found: ReadonlyMap<string, Stored>): void {
  for (const name of counted) {
    if (sumOf([name], found) === 0) empty.set(name, true)
    else empty.delete(name)
  }
}

const unitsSpent = () => currentMeter()?.units ?? 0

/** An item and its sort key in the index partition where it was found. */
type FoundItem = { item: Stored; at: string }

async function pageOf(list: List, { limit, offset, from }: PageRequest): Promise<FoundItem[]> {
  if (!from && offset > DEEPEST_OFFSET) {
    throw invalid({ offset: [`Follow the links in "next" to read beyond ${DEEPEST_OFFSET}.`] })
  }
  const newestFirst = !list.forward
  const backwards = from?.side === 'before'
  const forward = newestFirst === backwards
  const skip = from ? 0 : offset
  const share = list.isSpread ? Math.ceil((skip + limit) / list.partitions.length) + 4 : skip + limit
  const runs = list.partitions.map((partition) => runOf(partition, list, forward, from?.at))
  const all = Math.min(skip + limit, share)
  const first = skip > FIRST_ENTRIES ? Math.min(FIRST_ENTRIES, all) : all
  const before = unitsSpent()
  await Promise.all(runs.map((run) => run.fill(first)))
  if (first < all) {
    const each = (unitsSpent() - before) / first
    const affordable = Math.max(first, Math.min(all, Math.floor(MOST_UNITS / each)))
    const unended = () => runs.filter((run) => !run.ended)
    if (affordable > first) await Promise.all(unended().map((run) => run.fill(affordable - first)))
    if (affordable < all && unended().length > 0)
      throw invalid({ offset: ['These items are large. Follow the links in "next" to read so far.'] })
  }
  const page = (await mergeRuns(runs, skip + limit, share, forward)).slice(skip)
  return backwards ? page.reverse() : page
}

/** The entries that we expect in an item with several. If items hold fewer, more items are read. */
const ENTRIES = 4

function runOf(partition: Partition, { only, members, has, entries }: List, forward: boolean, beyond?: string) {
  const within = 'prefix' in partition
  const name = within ? 'sk' : `${partition.index}_sk`
  const placesOf = (item: Stored): string[] => {
    const at = String(item[name] ?? '')
    return entries ? entries(item).map((last) => `${at}#${last}`) : [at]
  }
  const isBeyond = (at: string) => beyond === undefined || compare(at, beyond) * (forward ? 1 : -1) > 0
  let last = beyond && entries ? withItemOf(beyond, forward) : beyond
  const run = {
    found: [] as FoundItem[],
    /** No items are left in the partition. */
    ended: false,
    /** Reads about `more` further entries. */
    fill: async (more: number) => {
      const limit = entries ? Math.ceil(more / ENTRIES) : more
      const what = { forward, limit, beyond: last }
      const items = await (within
        ? walkTable({ ...partition, ...what })
        : walk({ ...partition, ...what, only, members, has }))
      for (const item of items) {
        const places = placesOf(item).filter(isBeyond)
        run.found.push(...(forward ? places : places.reverse()).map((at) => ({ item, at })))
      }
      last = items.length > 0 ? String(items.at(-1)?.[name] ?? '') : last
      run.ended = items.length < limit
    },
  }
  return run
}

/** A sort key from which a walk still includes the item of this entry. The item may hold further entries. */
const withItemOf = (entry: string, forward: boolean) => (forward ? entry.slice(0, entry.lastIndexOf('#') - 1) : entry)

type Run = ReturnType<typeof runOf>

/** The first `wanted` items of all runs, by sort key. A run is read further if its next item may come before the last of these. */
async function mergeRuns(runs: readonly Run[], wanted: number, share: number, forward: boolean): Promise<FoundItem[]> {
  const inOrder = (a: FoundItem, b: FoundItem) => compare(a.at, b.at) * (forward ? 1 : -1)
  const first = runs
    .flatMap(({ found }) => found)
    .sort(inOrder)
    .slice(0, wanted)
  const last = first.at(-1)
  const short = runs.filter(({ found, ended }) => {
    const end = found.at(-1)
    return !ended && (first.length < wanted || !end || !last || inOrder(end, last) < 0)
  })
  if (short.length === 0) return first
  return Promise.all(short.map((run) => run.fill(share))).then(() => mergeRuns(runs, wanted, share, forward))
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
