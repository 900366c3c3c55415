import { invalid } from '../errors.ts'
import type { IndexName, Key } from '../table/keys.ts'
import { countKeys, getMany, type Stored, sumOf, type Walk, walk } from '../table/read.ts'

/** Where a page lies in its list; the sort key beside it when a followed link carried one. */
export type Place = { limit: number; offset: number; from?: { side: 'after' | 'before'; at: string } | undefined }
export type List = {
  /** Index partitions whose items together are the list; all share one kind of sort key. */
  partitions: readonly { index: IndexName; pk: string }[]
  /** Names of the counters whose sum is the list's size. */
  counted: readonly string[]
  /** Oldest first instead of newest first. */
  forward?: boolean
  only?: Walk['only']
}
export type Listing = {
  items: Stored[]
  count: number
  found: ReadonlyMap<string, Stored>
  first?: string
  last?: string
}

/** An offset without a hint is walked to, and not further than this: `next` reaches any depth at the cost of one page. */
export const DEEPEST_OFFSET = 1000

/**
 * One page of a list: one call per partition, and one for its size together with the items under `also`, which are
 * found in the answer. Several partitions are merged by sort key.
 */
export async function readList(
  list: List,
  place: Place,
  also: (items: Stored[]) => Key[] = () => [],
): Promise<Listing> {
  const items = await pageOf(list, place)
  const found = await getMany([...countKeys(list.counted), ...also(items)])
  const [first, last] = [items.at(0), items.at(-1)].map((item) => item && sortKey(list, item))
  return { items, found, count: sumOf(list.counted, found), ...(first && { first }), ...(last && { last }) }
}

async function pageOf(list: List, { limit, offset, from }: Place): Promise<Stored[]> {
  if (!from && offset > DEEPEST_OFFSET) {
    throw invalid({ offset: [`Follow the links in "next" to read beyond ${DEEPEST_OFFSET}.`] })
  }
  const newestFirst = !list.forward
  const backwards = from?.side === 'before'
  const forward = newestFirst === backwards
  const skip = from ? 0 : offset
  const runs = await Promise.all(
    list.partitions.map((partition) =>
      walk({ ...partition, forward, limit: skip + limit, beyond: from?.at, only: list.only }),
    ),
  )
  const merged = runs.flat().sort((a, b) => compare(sortKey(list, a), sortKey(list, b)) * (forward ? 1 : -1))
  const page = merged.slice(skip, skip + limit)
  return backwards ? page.reverse() : page
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

/** Every partition of one list sorts by the same text, so any of its indexes tells it. */
const sortKey = (list: List, item: Stored) => String(item[`${list.partitions[0]?.index}_sk`] ?? '')
