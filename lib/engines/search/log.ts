import * as v from 'valibot'
import { now } from '../../base/clock.ts'
import { conflict } from '../../base/errors.ts'
import { commitPlan, removeItems } from '../table/immediate.ts'
import { defineItem, get, parse, put, queryBeyond } from '../table/index.ts'
import { DocumentChange } from './document.ts'
import { searchKey } from './keys.ts'

/**
 * The change log: all changes of documents, in order. Entries are numbered from 1 without gaps.
 *
 * An entry and the number of the last entry are written in one transaction, under an optimistic lock. So two writers
 * never take the same number, and a reader knows which number comes next.
 *
 * A writer that is cut off after the transaction writes the same changes again. Readers ignore the second copy, since
 * its version is not newer.
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

/** Attempts of a writer if other writers are faster. */
const ATTEMPTS = 20
/** The most bytes of one entry. An item may have 400 KB, and a query returns at most 1 MB. */
const MOST_BYTES = 250_000

/**
 * Appends changes in order, with a read and a transaction for each entry. Fails with `conflict` if another writer was
 * faster `ATTEMPTS` times.
 */
export async function appendToLog(changes: readonly DocumentChange[]): Promise<void> {
  for (const part of splitChanges(changes)) await appendOne(part)
}

const appendOne = (changes: DocumentChange[]): Promise<void> =>
  commitPlan(async () => {
    const old = await get(end, {})
    const number = (old?.number ?? 0) + 1
    const next = {
      number,
      // prove: log-length
      changes: (old?.changes ?? 0) + changes.length,
      version: (old?.version ?? 0) + 1,
    }
    const added = put(entry, { number, at: now(), changes, version: 1 }, undefined, faster)
    return { result: undefined, writes: [put(end, next, old, faster), added] }
  }, ATTEMPTS)

const faster = () => conflict('Another writer of the search log was faster.')

/** Loads the number of the last entry, and how many changes all entries held. Strongly consistent. */
export async function loadLogEnd(): Promise<{ number: number; changes: number }> {
  return (await get(end, {})) ?? { number: 0, changes: 0 }
}

/** Entries without a gap. `more`: there may be further entries. `lost`: the next entry was trimmed away. */
export type LogPage = { entries: Entry[]; more: boolean; lost: boolean }

/** Reads the entries after a number, strongly consistent. One query; it costs one read unit if there is little new. */
export async function readLogAfter(number: number): Promise<LogPage> {
  const { pk, sk } = searchKey.searchEntry(number)
  const { items, more } = await queryBeyond(pk, sk)
  const entries = items.map((item) => parse(entry, item))
  const lost = entries[0] !== undefined && entries[0].number > number + 1
  return { entries: lost ? [] : entries, more: !lost && more, lost }
}

/** Removes the entries before a number. A follower that has not read them sees a gap, and opens a newer snapshot. */
export async function trimLog(number: number): Promise<void> {
  for (;;) {
    const { pk, sk } = searchKey.searchEntry(0)
    const { items, more } = await queryBeyond(pk, sk)
    const old = items.map((item) => parse(entry, item).number).filter((entryNumber) => entryNumber < number)
    await removeItems(old.map(searchKey.searchEntry))
    if (!more || old.length < items.length) return
  }
}

/** Splits changes into parts, each small enough for one entry. */
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
