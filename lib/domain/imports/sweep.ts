import { queryBetween, type Stored } from '../../engines/table/index.ts'

/** What is searched, by partition: sort keys that begin with one of these texts and `#`. */
export type Wanted = Map<string, Set<string>>

export function wantText(wanted: Wanted, pk: string, prefix: string): void {
  const known = wanted.get(pk)
  if (known) known.add(prefix)
  else wanted.set(pk, new Set([prefix]))
}

/** Items of a query. It grows while most of them are wanted, and shrinks while they are not. */
const SMALLEST = 25
const LARGEST = 1000
const AT_ONCE = 8

/**
 * Finds what is wanted in many partitions, at most `most` items for each text. A partition is read from one wanted text to the
 * next. That never takes more calls than a query for each text. If most of the partition is wanted, it takes few. `take` gets
 * each item.
 */
export async function findWanted(
  wanted: Wanted,
  most: number,
  take: (pk: string, prefix: string, item: Stored) => void,
): Promise<void> {
  const all = [...wanted]
  const worker = async () => {
    for (let next = all.pop(); next; next = all.pop()) await sweepOne(next[0], [...next[1]].sort(byKey), most, take)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
}

// DynamoDB sorts by bytes of UTF-8.
const byKey = (a: string, b: string) => Buffer.compare(Buffer.from(`${a}#`), Buffer.from(`${b}#`))

async function sweepOne(
  pk: string,
  prefixes: readonly string[],
  most: number,
  take: (pk: string, prefix: string, item: Stored) => void,
): Promise<void> {
  const places = new Map(prefixes.map((prefix, i) => [prefix, i]))
  const last = `${prefixes.at(-1) ?? ''}#~`
  let limit = prefixes.length === 1 ? most : SMALLEST
  let at = 0
  let from = `${prefixes[0] ?? ''}#`
  const taken = prefixes.map(() => 0)
  while (at < prefixes.length) {
    const items = await queryBetween(pk, from, last, limit)
    if (items.length === 0) return
    let hits = 0
    for (const item of items) {
      const sk = String(item.sk)
      const place = places.get(sk.slice(0, sk.lastIndexOf('#')))
      if (place === undefined) continue
      hits += 1
      taken[place] = (taken[place] ?? 0) + 1
      if ((taken[place] ?? 0) <= most) take(pk, prefixes[place] ?? '', item)
    }
    const end = String(items.at(-1)?.sk)
    while (at < prefixes.length && (isBefore(`${prefixes[at]}#~`, end) || (taken[at] ?? 0) >= most)) at += 1
    const next = `${prefixes[at] ?? ''}#`
    from = isBefore(end, next) ? next : `${end}\u0000`
    limit = hits * 4 >= items.length ? Math.min(LARGEST, limit * 2) : Math.max(SMALLEST, Math.floor(limit / 2))
  }
}

const isBefore = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b)) < 0
