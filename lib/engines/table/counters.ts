import { clock } from '../../base/clock.ts'
import { type Key, key, place } from './keys.ts'

/** Items over which the sizes of a group of lists are spread. A transaction changes one of them, at random, so that no key is hot. */
export const SHARDS = 4

/**
 * The place of a list's size: the item (`group`, and `sk` if the group has several items) and the attribute (`name`).
 * Example: the lists `OWNER#u1#approved` and `OWNER#u1#rejected` are both in the group `USER#u1`.
 */
export type CountPlace = { group: string; sk?: string; name: string }
type Layout = (list: string) => CountPlace | undefined

let layout: Layout | undefined

/** Sets, once in a process, which lists share an item. A list for which the layout returns undefined has an item of its own. */
export function provideCountLayout(given: Layout): void {
  layout = given
}

function placeOf(list: string): CountPlace {
  // Without a layout, sizes would be read from the wrong items.
  if (!layout) throw new Error('no layout of counters: call provideCountLayout first')
  return layout(list) ?? { group: list, name: '' }
}

const keyIn = (list: string, shard: number): Key => {
  const { group, sk } = placeOf(list)
  return key.count(group, shard, sk)
}

/** The first letter of attributes that hold sizes. */
const COUNT = '='
export const isCount = (name: string): boolean => name.startsWith(COUNT)
const attributeOf = (list: string) => `${COUNT}${placeOf(list).name}`

/** The attribute of a list's size, the same in all shards. The repair of sizes compares attribute by attribute. */
export type Size = { group: string; sk: string | undefined; attribute: string }
export const sizeOf = (list: string): Size => {
  const { group, sk } = placeOf(list)
  return { group, sk, attribute: attributeOf(list) }
}

/** The sizes in a stored item of a counter. */
export const sizesIn = (item: Readonly<Record<string, unknown>>): [Size, number][] => {
  const [, group = ''] = /^COUNT#(.*)#\d+$/.exec(String(item.pk)) ?? []
  const sk = item.sk === key.count(group, 0).sk ? undefined : String(item.sk)
  return Object.entries(item)
    .filter(([name]) => isCount(name))
    .map(([attribute, n]) => [{ group, sk, attribute }, Number(n)])
}

/** The keys of the items that hold the sizes of these lists, in all shards. Some may be absent. */
export const countKeys = (lists: readonly string[]): Key[] =>
  lists.flatMap((list) => Array.from({ length: SHARDS }, (_, shard) => keyIn(list, shard)))

type Found = ReadonlyMap<string, Readonly<Record<string, unknown>>>

/** The size of these lists together, from the items that were read under `countKeys`. */
export function sumOf(lists: readonly string[], found: Found): number {
  const sizes = lists.flatMap((list) =>
    Array.from({ length: SHARDS }, (_, shard) => {
      const { pk, sk } = keyIn(list, shard)
      return Number(found.get(`${pk} ${sk}`)?.[attributeOf(list)] ?? 0)
    }),
  )
  return Math.max(
    0,
    sizes.reduce((sum, n) => sum + n, 0),
  )
}

/** The key of a counter's item, and what is added to each of its attributes. */
export type CounterChange = { at: Key; adds: Readonly<Record<string, number>> }

/** What is added to items of counters when lists grow or shrink by these numbers. Each item comes once, and all are of one shard. */
export function counterChanges(sizes: Iterable<readonly [list: string, by: number]>): CounterChange[] {
  const shard = clock.random(SHARDS)
  const changes = new Map<string, { at: Key; adds: Record<string, number> }>()
  for (const [list, by] of sizes) {
    if (by === 0) continue
    const at = keyIn(list, shard)
    const adds: Record<string, number> = changes.get(place(at))?.adds ?? {}
    adds[attributeOf(list)] = (adds[attributeOf(list)] ?? 0) + by
    changes.set(place(at), { at, adds })
  }
  return [...changes.values()]
}

/** The changes of all writes together, by list. */
export function totalsOf(all: readonly { counts: Readonly<Record<string, number>> }[]): Map<string, number> {
  const totals = new Map<string, number>()
  for (const { counts } of all)
    for (const [list, by] of Object.entries(counts)) totals.set(list, (totals.get(list) ?? 0) + by)
  return totals
}
