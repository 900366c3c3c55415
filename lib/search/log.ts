import * as v from 'valibot'
import { now } from '../clock.ts'
import { conflict } from '../errors.ts'
import { defineItem, parse, put } from '../table/item.ts'
import { key } from '../table/keys.ts'
import { get, queryBeyond } from '../table/read.ts'
import { retryOnConflict } from '../table/retry.ts'
import { removeAll } from '../table/write.ts'
import { Change } from './document.ts'

/**
 * What search has to learn, in order. Entries are numbered from 1 without gaps: an entry is written in one transaction with
 * the number of the last one, on the condition that this is still the one before. So two writers at once never take the same
 * number, and a reader who has seen all up to some number knows what comes next. A writer that is cut off after the
 * transaction writes the same changes again; readers tell by their versions that they know them.
 */
const End = v.object({ number: v.number(), changes: v.number(), version: v.number() })
const end = defineItem({ type: 'search-end', schema: End, key: () => key.searchEnd() })

const Entry = v.object({ number: v.number(), at: v.string(), changes: v.array(Change), version: v.number() })
type Entry = v.InferOutput<typeof Entry>
const entry = defineItem({
  type: 'search-entry',
  schema: Entry,
  key: (it: { number: number }) => key.searchEntry(it.number),
})

/** Writers that find another one ahead of them try again so many times. */
const ATTEMPTS = 20
/** An item of the table holds 400 KB, and a reader gets 1 MB at once. */
const MOST_BYTES = 250_000

/** Writes changes to the end of the log, in order. Fails with `conflict` when others were always faster. */
export async function append(changes: readonly Change[]): Promise<void> {
  for (const part of inParts(changes)) await appendOne(part)
}

const appendOne = (changes: Change[]): Promise<void> =>
  retryOnConflict(
    async () => {
      const old = await get(end, {})
      const number = (old?.number ?? 0) + 1
      const next = { number, changes: (old?.changes ?? 0) + changes.length, version: (old?.version ?? 0) + 1 }
      const added = put(entry, { number, at: now(), changes, version: 1 }, undefined, faster)
      return { result: undefined, writes: [put(end, next, old, faster), added] }
    },
    { attempts: ATTEMPTS },
  )

const faster = () => conflict('Another writer of the search log was faster.')

/** The number of the last entry, and how many changes there have been; strongly consistent. */
export async function lastEntry(): Promise<{ number: number; changes: number }> {
  return (await get(end, {})) ?? { number: 0, changes: 0 }
}

/** The entries after a number, in order and without a gap, and whether there may be more. `lost` says that the next one is no longer there. */
export type Following = { entries: Entry[]; more: boolean; lost: boolean }

/** Reads on. One query of half a unit when there is nothing. */
export async function readAfter(number: number): Promise<Following> {
  const { pk, sk } = key.searchEntry(number)
  const { items, more } = await queryBeyond(pk, sk)
  const entries = items.map((item) => parse(entry, item))
  // Reads may lag behind in one place and not in another: what comes after a hole waits for the next look.
  const hole = entries.findIndex((it, i) => it.number !== number + 1 + i)
  const whole = hole < 0 ? entries : entries.slice(0, hole)
  return { entries: whole, more: hole < 0 && more, lost: hole === 0 && (await isTrimmed(number + 1)) }
}

/** An entry that stays away from a consistent read although later ones are there has been removed. */
const isTrimmed = async (number: number): Promise<boolean> => (await get(entry, { number })) === undefined

/** Removes the entries before a number; those who have not read them see the hole and start from a snapshot. */
export async function trim(number: number): Promise<void> {
  for (;;) {
    const { pk, sk } = key.searchEntry(0)
    const { items, more } = await queryBeyond(pk, sk)
    const old = items.map((item) => parse(entry, item).number).filter((each) => each < number)
    await removeAll(old.map(key.searchEntry))
    if (!more || old.length < items.length) return
  }
}

/** Changes in parts that fit into an entry each. */
function inParts(changes: readonly Change[]): Change[][] {
  const parts: Change[][] = []
  let left = 0
  for (const change of changes) {
    const bytes = Buffer.byteLength(JSON.stringify(change))
    const last = parts.at(-1)
    if (last && bytes <= left) last.push(change)
    else parts.push([change])
    left = (last && bytes <= left ? left : MOST_BYTES) - bytes
  }
  return parts
}
