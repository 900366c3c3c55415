import * as v from 'valibot'
import { nowSeconds } from '../clock.ts'
import { defineItem, parse, put, type Write } from '../table/item.ts'
import { type Key, key } from '../table/keys.ts'
import { itemIn, queryAllBetween, type Stored } from '../table/read.ts'
import type { Sizes } from './sizes.ts'

/** Which announcements someone has read one by one: a bit for each, by type, so that they are counted without being read. */

/** So many announcements share an item: half a kilobyte of bits. */
const SHARED = 4096
/** Longer than what it tells of. */
const KEPT = 200 * 24 * 3600

const ReadMarks = v.object({
  user_id: v.string(),
  part: v.number(),
  /** Of each type one bit for each number. */
  bits: v.record(v.string(), v.instance(Uint8Array)),
  until: v.number(),
  version: v.number(),
})
type ReadMarks = v.InferOutput<typeof ReadMarks>
const readMarks = defineItem({
  type: 'read_marks',
  schema: ReadMarks,
  key: (it: { user_id: string; part: number }) => key.readMarks(it.user_id, it.part),
  expires: (it) => it.until,
})

type Numbered = { n: number; notification_type: string }
const partOf = ({ n }: { n: number }) => Math.floor(n / SHARED)

/** The items that know whether these are read. */
export const markKeys = (user_id: string, some: readonly Numbered[]): Key[] =>
  [...new Set(some.map(partOf))].map((part) => key.readMarks(user_id, part))

/** Whether one is marked, by what was found under the keys. */
export function isMarked(found: ReadonlyMap<string, Stored>, user_id: string, it: Numbered): boolean {
  const bits = itemIn(found, readMarks, { user_id, part: partOf(it) })?.bits[it.notification_type]
  const at = it.n % SHARED
  return (((bits?.[at >> 3] ?? 0) >> (at & 7)) & 1) === 1
}

/** The writes that mark these, over what was found under their keys. */
export const markWrites = (found: ReadonlyMap<string, Stored>, user_id: string, some: readonly Numbered[]): Write[] =>
  [...Map.groupBy(some, partOf)].map(([part, them]) => {
    const old = itemIn(found, readMarks, { user_id, part })
    const bits = them.reduce(withBit, old?.bits ?? {})
    return put(readMarks, { user_id, part, bits, until: nowSeconds() + KEPT, version: (old?.version ?? 0) + 1 }, old)
  })

function withBit(bits: ReadMarks['bits'], { n, notification_type: type }: Numbered): ReadMarks['bits'] {
  const set = Uint8Array.from(bits[type] ?? new Uint8Array(SHARED / 8))
  const at = n % SHARED
  set[at >> 3] = (set[at >> 3] ?? 0) | (1 << (at & 7))
  return { ...bits, [type]: set }
}

/** How many are marked behind a number up to another, by type. One call. */
export async function markedBetween(user_id: string, behind: number, to: number): Promise<Sizes> {
  if (to <= behind) return {}
  const [first, last] = [key.readMarks(user_id, partOf({ n: behind + 1 })), key.readMarks(user_id, partOf({ n: to }))]
  const parts = (await queryAllBetween(first.pk, first.sk, last.sk)).map((item) => parse(readMarks, item))
  const sizes: Record<string, number> = {}
  for (const { part, bits } of parts)
    for (const [type, set] of Object.entries(bits))
      sizes[type] = (sizes[type] ?? 0) + bitsIn(set, behind - part * SHARED, to - part * SHARED)
  return sizes
}

/** How many bits are set behind a place up to another. */
function bitsIn(set: Uint8Array, behind: number, to: number): number {
  let count = 0
  const last = Math.min(to, SHARED - 1)
  for (let at = Math.max(0, behind + 1); at <= last; at += 1) count += ((set[at >> 3] ?? 0) >> (at & 7)) & 1
  return count
}
