import { invalid } from '../../base/errors.ts'
import { lru } from '../../base/lru.ts'
import { countKeys, sumOf } from './counters.ts'
import type { IndexName, Key } from './keys.ts'
import { getMany, type Stored, type Walk, walk, walkTable } from './read.ts'

/** Where a page lies in its list; the sort key beside it when a followed link carried one. */
export type PageRequest = { limit: number; offset: number; from?: { side: 'after' | 'before'; at: string } | undefined }
/** A partition of an index; or what of a partition of the table begins so, which is strongly consistent. */
export type Partition = { index: IndexName; pk: string } | { pk: string; prefix: string }
export type List = {
  /** Partitions whose items together are the list; their sort keys are of one kind. */
  partitions: readonly Partition[]
  /** Names of the counters whose sum is the list's size. */
  counted: readonly string[]
  /** Oldest first instead of newest first. */
  forward?: boolean
  only?: Walk['only']
  /** Only these members of its items are read, where it is in an index. */
  members?: Walk['members']
  /** Each of `counted` is the size of the partition at the same place: those that are known to be empty need not be read. */
  isCountedEach?: boolean
  /** Its items are in the partitions by chance, so that each holds its share of a page. */
  isSpread?: boolean
  /** Only items with such a member of a member. */
  has?: Walk['has']
  /** Items hold several entries of the list, in this order of their last words, oldest first; without it each item is one. */
  entries?: (item: Stored) => readonly string[]
}
export type Listing = {
  /** The item of each entry. */
  items: Stored[]
  /** Where each entry lies: the sort key of its item, with its last word where there are several in one. */
  places: string[]
  count: number
  found: ReadonlyMap<string, Stored>
  first?: string
  last?: string
}

/** What a store answers for a page; the sort keys at its edges lead to its neighbours. */
export type PageResult<T> = { count: number; results: T[]; first?: string | undefined; last?: string | undefined }

/** An offset without a hint is walked to, and not further than this: `next` reaches any depth at the cost of one page. */
export const DEEPEST_OFFSET = 1000

/**
 * One page of a list: one call per partition, and one for its size together with the items under `also`, which are
 * found in the answer. Several partitions are merged by sort key.
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
  // Something has come where nothing was.
  if (asked.length < list.partitions.length && withoutEmpty(list).some((it) => !asked.includes(it)))
    return readList(list, place, also)
  const [first, last] = [page.at(0)?.at, page.at(-1)?.at]
  const places = page.map((it) => it.at)
  return { items, places, found, count: sumOf(list.counted, found), ...(first && { first }), ...(last && { last }) }
}

/**
 * Partitions that were empty when this process last read their sizes, by the name of the counter. They are not read again until
 * their size, which comes with every page, says that something is there: most lists have such, of what few people have.
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
  const runs = await Promise.all(
    list.partitions.map(async (partition) => {
      const run = runOf(partition, list, forward, from?.at)
      await run.fill(Math.min(skip + limit, share))
      return run
    }),
  )
  const page = (await merged(runs, skip + limit, share, forward)).slice(skip)
  return backwards ? page.reverse() : page
}

/** Of items with several entries so many are read as would do if each had this many. */
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
    /** There is nothing behind what was found. */
    ended: false,
    /** Reads so many more. */
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

/** From where to read so that the item of an entry, of which some may be left, is among what is read. */
const withItemOf = (entry: string, forward: boolean) => (forward ? entry.slice(0, entry.lastIndexOf('#') - 1) : entry)

type Run = ReturnType<typeof runOf>

/** The first `wanted` items of all runs by sort key. Where one has given all that was read of it, more is read. */
async function merged(runs: readonly Run[], wanted: number, share: number, forward: boolean): Promise<FoundItem[]> {
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
  return Promise.all(short.map((run) => run.fill(share))).then(() => merged(runs, wanted, share, forward))
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
