import * as v from 'valibot'
import { newId } from '../../base/clock.ts'
import { lru } from '../../base/lru.ts'
import type { Column } from './guessing/columns.ts'
import type { TableGuess } from './guessing/guess.ts'
import type { Import } from './items.ts'
import { getChunk, putChunk } from './store.ts'

/** 0 for a sort that did not exist when the columns were stored. */
const share = v.optional(v.number(), 0)
const Shares = v.object({
  date: share,
  day_first: share,
  month_first: share,
  coordinates: share,
  degrees: share,
  address: share,
  devanagari: share,
  mixed: share,
  number: share,
  long: share,
})

const StoredColumns = v.object({
  columns: v.array(
    v.object({
      name: v.string(),
      header: v.string(),
      filled: v.number(),
      samples: v.array(v.string()),
      shares: Shares,
      values: v.optional(v.array(v.string())),
    }),
  ),
  guesses: v.array(
    v.object({
      column: v.string(),
      field: v.nullable(v.string()),
      by: v.nullable(v.picklist(['header', 'values', 'names'])),
      sure: v.number(),
    }),
  ),
})
export type StoredColumns = { columns: Column[]; guesses: TableGuess['guesses'] }

/** Stores the columns of a sheet with their guesses. Returns a new name for them, which is never used again. */
export async function storeColumns(id: string, sheet: number, { columns, guesses }: StoredColumns): Promise<string> {
  const name = `columns-${newId()}`
  await putChunk(id, name, sheet, { guesses, columns: columns.map(({ rows: _, ...it }) => it) })
  return name
}

/** Columns in memory by their name, since clients poll an import. */
const cachedColumns = lru<string, StoredColumns>(4 * 1024 * 1024, (it) => JSON.stringify(it).length)

/** Loads the columns of the chosen sheet, with their guesses. Undefined if none are stored. */
export async function loadColumns({ id, mapping, columns }: Import): Promise<StoredColumns | undefined> {
  if (!mapping) return undefined
  const cached = columns === null ? undefined : cachedColumns.get(columns)
  if (cached) return cached
  const stored = await getChunk(StoredColumns, id, columns ?? 'columns', mapping.sheet)
  if (!stored) return undefined
  const loaded = { guesses: stored.guesses, columns: stored.columns.map((it) => ({ ...it, values: it.values })) }
  if (columns !== null) cachedColumns.set(columns, loaded)
  return loaded
}
