import * as v from 'valibot'
import { now } from '../../base/clock.ts'
import { conflict } from '../../base/errors.ts'
import { commitPlan, defineItem, get, parse, put, queryBeyond, removeAll } from '../table/index.ts'
import { DocumentChange } from './document.ts'
import { searchKey } from './keys.ts'

/**
 * The change log: what search has to learn, in order. Entries are numbered from 1 without gaps.
 *
 * An entry is written in one transaction with the number of the last one, under an optimistic lock. So two writers
 * never take the same number, and a reader who has seen all up to some number knows which one is next.
 *
 * A writer that is cut off after the transaction writes the same changes again. Readers ignore the second copy by its
 * version.
 */
const End = v.object({ number: v.number(), changes: v.number(), version: v.number() })
const end = defineItem({ type: 'search-end', schema: End, key: () => searchKey.searchEnd() })

const Entry = v.object({ number: v.number(), at: v.string(), changes: v.array(DocumentChange), version: v.number() })
type Entry = v.InferOutput<typeof Entry>
const entry = defineItem({
  type: 'search-entry',
  schema: Entry,
  key: (it: { number: number }) => searchKey.searchEntry(it.number),
})

/** How often a writer tries again when another one was faster. */
const ATTEMPTS = 20
/** The most bytes of one entry. An item holds 400 KB, and a query returns 1 MB at once. */
const MOST_BYTES = 250_000

/**
 * Appends changes to the log, in order: a read and a transaction for each entry. Fails with `conflict` if others were
 * always faster.
 */
export async function appendChanges(changes: readonly DocumentChange[]): Promise<void> {
  for (const part of splitChanges(changes)) await appendOne(part)
}

const appendOne = (changes: DocumentChange[]): Promise<void> =>
  commitPlan(async () => {
    const old = await get(end, {})
    const number = (old?.number ?? 0) + 1
    const next = { number, changes: (old?.changes ?? 0) + changes.length, version: (old?.version ?? 0) + 1 }
    const added = put(entry, { number, at: now(), changes, version: 1 }, undefined, faster)
    return { result: undefined, writes: [put(end, next, old, faster), added] }
  }, ATTEMPTS)

const faster = () => conflict('Another writer of the search log was faster.')

/** The number of the last entry, and how many changes there have been. Strongly consistent. */
export async function loadLogEnd(): Promise<{ number: number; changes: number }> {
  return (await get(end, {})) ?? { number: 0, changes: 0 }
}

/** Entries that follow each other without a gap. `more`: the log may go on. `lost`: the next entry has been trimmed. */
export type LogPage = { entries: Entry[]; more: boolean; lost: boolean }

/** Reads the entries after a number. One query, half a unit when there is nothing new. */
export async function readLogAfter(number: number): Promise<LogPage> {
  const { pk, sk } = searchKey.searchEntry(number)
  const { items, more } = await queryBeyond(pk, sk)
  const entries = items.map((item) => parse(entry, item))
  // A query may lag behind in one place and not in another. What comes after a hole waits for the next look.
  const hole = entries.findIndex((it, i) => it.number !== number + 1 + i)
  const whole = hole < 0 ? entries : entries.slice(0, hole)
  return { entries: whole, more: hole < 0 && more, lost: hole === 0 && (await isTrimmed(number + 1)) }
}

/** Whether an entry has been trimmed: a consistent read does not find it, although later ones are there. */
const isTrimmed = async (number: number): Promise<boolean> => (await get(entry, { number })) === undefined

/** Removes the entries before a number. Followers that have not read them meet the hole and open a snapshot. */
export async function trimLog(number: number): Promise<void> {
  for (;;) {
    const { pk, sk } = searchKey.searchEntry(0)
    const { items, more } = await queryBeyond(pk, sk)
    const old = items.map((item) => parse(entry, item).number).filter((each) => each < number)
    await removeAll(old.map(searchKey.searchEntry))
    if (!more || old.length < items.length) return
  }
}

/** Splits changes into parts that fit into one entry each. */
function splitChanges(changes: readonly DocumentChange[]): DocumentChange[][] {
  const parts: DocumentChange[][] = []
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
