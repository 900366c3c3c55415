import { gunzipSync, gzipSync } from 'node:zlib'
import * as v from 'valibot'
import { deleteObject, getObject, listKeys, putObject } from '../../engines/bucket/index.ts'

/**
 * What the bucket holds for an import: its file, its rows in chunks, and for each chunk the results of the dry run and of the
 * run.
 */

/** Rows in one object. */
export const ROWS_IN_CHUNK = 500

export const importFolder = (id: string): string => `imports/${id}/`

const chunkKey = (id: string, what: string, number: number) =>
  `${importFolder(id)}${what}/${String(number).padStart(5, '0')}.json.gz`

/** Stores a value in the folder of an import, in place of an earlier one. */
export const putChunk = (id: string, what: string, number: number, value: unknown): Promise<void> =>
  putObject(chunkKey(id, what, number), gzipSync(JSON.stringify(value)), 'application/gzip')

/** A stored value; undefined without one. */
export async function getChunk<S extends v.GenericSchema>(
  schema: S,
  id: string,
  what: string,
  number: number,
): Promise<v.InferOutput<S> | undefined> {
  const found = await getObject(chunkKey(id, what, number))
  return found && v.parse(schema, JSON.parse(gunzipSync(found.bytes).toString()))
}

/** A row of a table: its number in the sheet, from 1, and its cells as text. */
export const TableRow = v.tuple([v.number(), v.array(v.string())])
export type TableRow = v.InferOutput<typeof TableRow>
const Rows = v.array(TableRow)

/** The rows of a chunk of a sheet; none after the last chunk. */
export const loadRows = async (id: string, sheet: number, chunk: number): Promise<TableRow[]> =>
  (await getChunk(Rows, id, `rows-${sheet}`, chunk)) ?? []

/** Stores rows in chunks. `end` stores the rest and returns how many rows there were. */
export function rowWriter(id: string, sheet: number) {
  let waiting: TableRow[] = []
  let chunk = 0
  let rows = 0
  const store = async () => {
    await putChunk(id, `rows-${sheet}`, chunk, waiting)
    chunk += 1
    waiting = []
  }
  return {
    add: async (row: TableRow) => {
      waiting.push(row)
      rows += 1
      if (waiting.length === ROWS_IN_CHUNK) await store()
    },
    end: async () => {
      if (waiting.length > 0 || chunk === 0) await store()
      return rows
    },
  }
}

/** The rows below the header, chunk by chunk. */
export async function* dataChunks(
  id: string,
  { sheet, header_row }: { sheet: number; header_row: number },
  from = 0,
): AsyncGenerator<{ chunk: number; rows: TableRow[] }> {
  for (let chunk = from; ; chunk += 1) {
    const rows = await loadRows(id, sheet, chunk)
    if (rows.length === 0) return
    yield { chunk, rows: rows.filter(([number]) => number > header_row) }
    if (rows.length < ROWS_IN_CHUNK) return
  }
}

/** Deletes everything that the bucket holds for an import. */
export async function deleteFolder(id: string): Promise<void> {
  for (const key of await listKeys(importFolder(id))) await deleteObject(key)
}
