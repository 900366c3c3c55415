import { mapAtOnce } from '../../base/concurrency.ts'
import { queryBetween, type Stored } from '../../engines/table/index.ts'

/** Gets each item that was found, with its partition and the text that was searched. */
type TakeItem = (pk: string, prefix: string, item: Stored) => void

/** The bounds of the size of one query, in items. The size doubles while a quarter of the items or more match, and halves otherwise. */
const SMALLEST_QUERY = 25
const LARGEST_QUERY = 1000
const PARTITIONS_AT_ONCE = 8

/**
 * Searches many partitions for sort keys that begin with one of many texts, each followed by `#`. A partition is read in order, from one of
 * these texts to the next. This takes about one query for each text, and fewer if many items match.
 */
export class KeySearch {
  readonly #prefixes = new Map<string, Set<string>>()

  add(pk: string, prefix: string): void {
    const prefixes = this.#prefixes.get(pk)
    if (prefixes) prefixes.add(prefix)
    else this.#prefixes.set(pk, new Set([prefix]))
  }

  /** Finds at most `limit` items for each text. */
  async run(limit: number, take: TakeItem): Promise<void> {
    await mapAtOnce([...this.#prefixes], PARTITIONS_AT_ONCE, ([pk, prefixes]) =>
      searchPartition(pk, [...prefixes].sort(byKey), limit, take),
    )
  }
}

// DynamoDB sorts by bytes of UTF-8.
const byKey = (a: string, b: string) => Buffer.compare(Buffer.from(`${a}#`), Buffer.from(`${b}#`))

async function searchPartition(pk: string, prefixes: readonly string[], limit: number, take: TakeItem): Promise<void> {
  const places = new Map(prefixes.map((prefix, place) => [prefix, place]))
  const counts = prefixes.map(() => 0)
  const end = `${prefixes.at(-1) ?? ''}#~`
  let size = prefixes.length === 1 ? limit : SMALLEST_QUERY
  let present = 0
  let start = `${prefixes[0] ?? ''}#`
  while (present < prefixes.length) {
    const items = await queryBetween(pk, start, end, size)
    if (items.length === 0) return
    let hits = 0
    for (const item of items) {
      const sk = String(item.sk)
      const place = places.get(sk.slice(0, sk.lastIndexOf('#')))
      if (place === undefined) continue
      hits += 1
      const count = (counts[place] ?? 0) + 1
      counts[place] = count
      if (count <= limit) take(pk, prefixes[place] ?? '', item)
    }
    const last = String(items.at(-1)?.sk)
    const isOver = (place: number) => isBefore(`${prefixes[place]}#~`, last) || (counts[place] ?? 0) >= limit
    while (present < prefixes.length && isOver(present)) present += 1
    const next = `${prefixes[present] ?? ''}#`
    start = isBefore(last, next) ? next : `${last}\u0000`
    size = hits * 4 >= items.length ? Math.min(LARGEST_QUERY, size * 2) : Math.max(SMALLEST_QUERY, Math.floor(size / 2))
  }
}

const isBefore = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b)) < 0
