import { createHash } from 'node:crypto'
import * as v from 'valibot'
import { newId } from '../../base/clock.ts'
import { impossible } from '../../base/errors.ts'
import { lru } from '../../base/lru.ts'
import { getObject } from '../../engines/bucket/index.ts'
import { findKindByIds } from './by-ids.ts'
import { guessByNames } from './by-names.ts'
import { type Column, ColumnProfiler, nameColumns } from './columns.ts'
import { areHeaders, guessFor, guessTable, type TableGuess } from './guess.ts'
import type { Import, ImportFormat, Sheet } from './items.ts'
import { readJsonLines } from './json-lines.ts'
import { getChunk, loadRows, putChunk, RowWriter, type TableRow } from './store.ts'
import { decodeText, findDelimiter, readTextRows } from './text-table.ts'

/** Limits of a table. `cell` is in characters. */
const limits = { rows: 20_000, columns: 1_000, cell: 32_767 }

export type ReadFile = Pick<Import, 'sheets' | 'told' | 'mapping' | 'columns' | 'kind_guess'>

/** The members of an import that say what is read, for whom. */
export type ReadableImport = Pick<Import, 'id' | 'object_key' | 'sha256' | 'format' | 'file_name' | 'work'>

/** Reads the file of an import into rows, and guesses their meaning. Safe to repeat. Fails with `invalid` if it is no table. */
export async function readFile(imported: ReadableImport): Promise<ReadFile> {
  const object = imported.object_key === null ? undefined : await getObject(imported.object_key)
  if (!object) throw impossible('The file is gone.')
  const bytes = Buffer.from(object.bytes)
  if (imported.sha256 !== createHash('sha256').update(bytes).digest('hex'))
    throw impossible('The file is not what was sent.')
  const { sheets, remarks } = await readers[imported.format](imported.id, bytes)
  const first = sheets.findIndex(({ rows, hidden }) => rows > 0 && !hidden)
  if (first < 0) throw impossible('The table is empty.')
  const { columns, header_row } = await profileSheet(imported.id, first, imported.format === 'jsonl' ? 1 : undefined)
  const about = [imported.file_name, sheets[first]?.name ?? '']
  const guessed = await guessMeaning(imported, columns, about, { sheet: first, header_row })
  return {
    sheets,
    columns: await storeColumns(imported.id, first, { columns, guesses: guessed.guesses }),
    told: [...remarks, ...sheetRemarks(sheets, first, header_row), ...columnRemarks(columns)],
    mapping: guessed.mapping,
    kind_guess: guessed.kind,
  }
}

/** Guesses by the table itself, then by the known records that it names. */
async function guessMeaning(
  { id, work }: Pick<Import, 'id' | 'work'>,
  columns: readonly Column[],
  about: readonly string[],
  at: { sheet: number; header_row: number },
): Promise<TableGuess> {
  const plain = guessTable(columns, about, at.sheet, at.header_row)
  if (!work) return plain
  if (plain.mapping.match !== 'id') return guessByNames(plain, columns, work.by)
  const rows = (await loadRows(id, at.sheet, 0)).filter(([row]) => row > at.header_row)
  const names = columns.map(({ name }) => name)
  const kind = await findKindByIds(plain.mapping, names, rows, work.by)
  return kind === undefined || kind === plain.kind ? plain : guessFor(kind, columns, at)
}

/** The sheets of a file, and remarks for the sender on how it was read. */
type ReadSheets = { sheets: Sheet[]; remarks: string[] }

const readers: Readonly<Record<ImportFormat, (id: string, bytes: Buffer) => Promise<ReadSheets>>> = {
  csv: (id, bytes) => readText(id, bytes),
  tsv: (id, bytes) => readText(id, bytes, '\t'),
  xlsx: readWorkbook,
  jsonl: readLines,
}

async function readText(id: string, bytes: Buffer, mark?: string): Promise<ReadSheets> {
  const { text, encoding } = decodeText(bytes)
  const delimiter = mark ?? findDelimiter(text)
  const plain = text.replace(/^\uFEFF/, '')
  const size = await storeRows(id, 0, readTextRows(plain, delimiter))
  const remarks = encoding === 'UTF-8' ? [] : [`The file is in ${encoding}; it was read as such.`]
  if (delimiter === ';') remarks.push('The cells are parted by semicolons.')
  return { sheets: [{ name: '', hidden: false, formulas: 0, merged: 0, ...size }], remarks }
}

async function readLines(id: string, bytes: Buffer): Promise<ReadSheets> {
  const { text, encoding } = decodeText(bytes)
  if (encoding === 'Windows-1252') throw impossible('JSON Lines are written in UTF-8, and this file is not.')
  const size = await storeRows(id, 0, readJsonLines(text.replace(/^\uFEFF/, '')))
  return { sheets: [{ name: '', hidden: false, formulas: 0, merged: 0, ...size }], remarks: [] }
}

async function readWorkbook(id: string, bytes: Buffer): Promise<ReadSheets> {
  // Loaded only here, since the functions that show imports need no reader of workbooks.
  const { checkWorkbook, readWorkbookRows } = await import('./workbook.ts')
  const facts = await checkWorkbook(bytes)
  const sheets: Sheet[] = []
  for (const [i, it] of facts.entries()) sheets.push({ ...it, ...(await storeRows(id, i, readWorkbookRows(bytes, i))) })
  return { sheets, remarks: [] }
}

/** Stores the rows that are not empty. Fails with too many rows or columns. */
async function storeRows(
  id: string,
  sheet: number,
  rows: Iterable<[number, string[]]> | AsyncIterable<[number, string[]]>,
) {
  const writer = new RowWriter(id, sheet)
  let [count, columns] = [0, 0]
  for await (const [row, cells] of rows) {
    const last = cells.findLastIndex((it) => it.trim() !== '')
    if (last < 0) continue
    count += 1
    columns = Math.max(columns, last + 1)
    // The limit does not count the header.
    if (count > limits.rows + 1) throw impossible(`The table has more than ${limits.rows} rows. Send it in parts.`)
    if (columns > limits.columns) throw impossible(`The table has more than ${limits.columns} columns.`)
    if (cells.some((it) => it.length > limits.cell))
      throw impossible(`Row ${row} has a cell of more than ${limits.cell} characters.`)
    await writer.add([row, cells.slice(0, last + 1).map((it) => it.normalize('NFC'))])
  }
  await writer.end()
  return { rows: count, columns }
}

/** Rows by which columns are profiled. */
const PROFILED_ROWS = 4000

/** Profiles the columns of a sheet by the rows below its header. Without `header`, the header row is guessed. */
export async function profileSheet(
  id: string,
  sheet: number,
  header?: number,
): Promise<{ columns: Column[]; header_row: number }> {
  const start = await loadRows(id, sheet, 0)
  const header_row = header ?? findHeaderRow(start)
  const profiler = new ColumnProfiler(headersIn(start, header_row))
  let looked = 0
  for (
    let chunk = 0, rows = start;
    rows.length > 0 && looked < PROFILED_ROWS;
    chunk += 1, rows = await loadRows(id, sheet, chunk)
  ) {
    for (const [row, cells] of rows) if (row > header_row) profiler.addRow(cells)
    looked += rows.length
  }
  return { columns: profiler.columns(), header_row }
}

/**
 * Finds the header among the first ten rows: the row with the most different words. Of several headers above each other the
 * lowest is taken.
 */
function findHeaderRow(rows: readonly (readonly [number, readonly string[]])[]): number {
  const scores = rows.slice(0, 10).map(([row, cells]) => {
    const filled = cells.map((it) => it.trim()).filter(Boolean)
    const words = new Set(filled.filter((it) => !/^[\d.,°'"\s+-]+$/.test(it) && it.length <= 80))
    return { row, score: words.size }
  })
  const most = Math.max(0, ...scores.map(({ score }) => score))
  const first = scores.findIndex(({ score }) => score >= most * 0.75 && score > 0)
  // Headers in two languages may be in two rows.
  const last = first + rows.slice(first + 1, 10).findIndex(([, cells]) => !areHeaders(cells))
  return rows[Math.max(first, last, 0)]?.[0] ?? 1
}

const ONE_HIDDEN_SHEET = '1 of the sheets is hidden, and not taken unless asked for.'

const sheetRemarks = (sheets: readonly Sheet[], chosen: number, header_row: number): string[] => {
  const it = sheets[chosen]
  const hidden = sheets.filter((each) => each.hidden).length
  return [
    ...(sheets.length > 1 ? [`The workbook has ${sheets.length} sheets: "${it?.name}" was taken.`] : []),
    ...(hidden > 0
      ? [hidden === 1 ? ONE_HIDDEN_SHEET : `${hidden} of the sheets are hidden, and not taken unless asked for.`]
      : []),
    ...(it && it.formulas > 0 ? [`${it.formulas} cells hold formulas: the values that they had were taken.`] : []),
    ...(it && it.merged > 0
      ? [`${it.merged} ranges of cells are merged: the value stands in the first cell of each.`]
      : []),
    ...(header_row > 1 ? [`The headers were found in row ${header_row}; what stands above them is left out.`] : []),
  ]
}

function columnRemarks(columns: readonly Column[]): string[] {
  const again = columns.filter(({ name, header }) => header !== '' && /\(\d+\)$/.test(name) && !/\(\d+\)$/.test(header))
  return again.map(
    ({ header, name }) => `There is more than one column "${header}": a further one is called "${name}".`,
  )
}

/** 0 for a sort that did not exist when the columns were stored. */
const share = v.optional(v.number(), 0)
const Shares = v.object({
  date: share,
  coordinates: share,
  degrees: share,
  address: share,
  devanagari: share,
  mixed: share,
  number: share,
  long: share,
})

/** The columns of a sheet as they are stored. */
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

/** Loads the names of the columns of a sheet whose headers are in this row. */
export async function loadColumnNames(id: string, sheet: number, header_row: number): Promise<string[]> {
  const start = await loadRows(id, sheet, 0)
  return nameColumns(headersIn(start, header_row))
}

/** The headers in a row, one for each column of the first 200 rows; empty if a column has no header. */
function headersIn(rows: readonly TableRow[], header_row: number): string[] {
  const headers = rows.find(([row]) => row === header_row)?.[1] ?? []
  const width = Math.max(headers.length, ...rows.slice(0, 200).map(([, cells]) => cells.length))
  return Array.from({ length: width }, (_, i) => headers[i] ?? '')
}
