import { gunzipSync, gzipSync } from 'node:zlib'
import * as v from 'valibot'
import { impossible } from '../../base/errors.ts'
import { deleteObject, getObject, listKeys, putObject } from '../../engines/bucket/index.ts'

/** What the bucket holds for an import: its file and its rows in chunks. Each chunk also has the results of the dry run and of the run. */

/** Rows in one object of the bucket. */
// prove: rows-in-object
const ROWS_IN_CHUNK = 500
/** Characters in one object of the bucket: as many as the largest file in text has. A workbook may name one text many times. */
const MOST_IN_CHUNK = 50 * 1024 * 1024

export const importFolder = (id: string): string => `imports/${id}/`

const chunkKey = (id: string, what: string, number: number) =>
  `${importFolder(id)}${what}/${String(number).padStart(5, '0')}.json.gz`

/** Stores a value in the folder of an import, in place of an earlier one. */
export const putChunk = (id: string, what: string, number: number, value: unknown): Promise<void> =>
  putObject(chunkKey(id, what, number), gzipSync(JSON.stringify(value)), 'application/gzip')

/** Loads a value that `putChunk` stored. Undefined if there is none. */
export async function getChunk<S extends v.GenericSchema>(
  schema: S,
  id: string,
  what: string,
  number: number,
): Promise<v.InferOutput<S> | undefined> {
  const object = await getObject(chunkKey(id, what, number))
  return object && v.parse(schema, JSON.parse(gunzipSync(object.bytes).toString()))
}

/** A row of a table: its number in the sheet, from 1, and its cells as text. */
export const TableRow = v.tuple([v.number(), v.array(v.string())])
export type TableRow = v.InferOutput<typeof TableRow>
const Rows = v.array(TableRow)

/** Loads the rows of a chunk of a sheet. Empty after the last chunk. */
export const loadRows = async (id: string, sheet: number, chunk: number): Promise<TableRow[]> =>
  (await getChunk(Rows, id, `rows-${sheet}`, chunk)) ?? []

/** Stores the rows of a sheet in chunks. */
export class RowWriter {
  readonly #id: string
  readonly #sheet: number
  #waiting: TableRow[] = []
  #chunk = 0
  #length = 0

  constructor(id: string, sheet: number) {
    this.#id = id
    this.#sheet = sheet
  }

  /** Adds a row. Fails if the rows that are held together are longer than any real table's. */
  async add(row: TableRow): Promise<void> {
    this.#length += row[1].reduce((sum, { length }) => sum + length, 0)
    if (this.#length > MOST_IN_CHUNK)
      throw impossible(`The rows up to ${row[0]} hold more text than a table may. Send it in parts.`)
    this.#waiting.push(row)
    if (this.#waiting.length === ROWS_IN_CHUNK) await this.#store()
  }

  /** Stores the rest. A sheet without rows has one empty chunk. */
  async end(): Promise<void> {
    if (this.#waiting.length > 0 || this.#chunk === 0) await this.#store()
  }

  async #store(): Promise<void> {
    await putChunk(this.#id, `rows-${this.#sheet}`, this.#chunk, this.#waiting)
    this.#chunk += 1
    this.#waiting = []
    this.#length = 0
  }
}

/** The rows below the header, chunk by chunk, from the chunk `from` on. */
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

/** Empties the folder of an import in the bucket. Safe to repeat. One call lists a thousand objects, and one more deletes each. */
export async function deleteFolder(id: string): Promise<void> {
  for (const key of await listKeys(importFolder(id))) await deleteObject(key)
}
