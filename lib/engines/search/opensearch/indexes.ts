import * as v from 'valibot'
import { commitWrites } from '../../table/immediate.ts'
import { defineItem, get, put } from '../../table/index.ts'
import { searchKey } from '../keys.ts'

/**
 * The indexes of the server. `current` answers questions. `previous` is the one before, to which an operator can go back; `building`
 * is the next one. All of them take all changes. `position`: the last entry of the change log that is in all of them. `format`: the form
 * in which the index stores documents.
 */
const Indexes = v.object({
  current: v.nullable(v.object({ index: v.string(), format: v.string(), made_at: v.string() })),
  previous: v.nullable(v.object({ index: v.string(), format: v.string(), made_at: v.string() })),
  building: v.nullable(v.string()),
  position: v.number(),
  version: v.number(),
})
export type Indexes = v.InferOutput<typeof Indexes>
const indexes = defineItem({ type: 'search-indexes', schema: Indexes, key: () => searchKey.searchIndexes() })

export const loadIndexes = (): Promise<Indexes | undefined> => get(indexes, {})

/** Stores a change of the indexes. Fails with `conflict` if they have changed since `old` was read. */
export async function saveIndexes(old: Indexes | undefined, change: Partial<Indexes>): Promise<Indexes> {
  const empty = { current: null, previous: null, building: null, position: 0 }
  const next = { ...(old ?? empty), ...change, version: (old?.version ?? 0) + 1 }
  await commitWrites([put(indexes, next, old)])
  return next
}

/** The names of all indexes that take changes. */
export const takingChanges = ({ current, previous, building }: Indexes): string[] =>
  [current?.index, previous?.index, building].filter((name) => typeof name === 'string')
