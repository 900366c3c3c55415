import { createHash } from 'node:crypto'
import { impossible } from '../../base/errors.ts'
import { getObject } from '../../engines/bucket/index.ts'
import type { Actor } from '../../platform/permissions.ts'
import { kinds } from '../kinds/index.ts'
import { BAD_LINE, readJsonLines } from './formats/json-lines.ts'
import { decodeText, encodingNames, guessDelimiter, readTextRows } from './formats/text-table.ts'
import { findKindByIds } from './guessing/by-ids.ts'
import { guessByNames } from './guessing/by-names.ts'
import { type Column, ColumnProfiler, nameColumns } from './guessing/columns.ts'
import {
  areHeaders,
  countNamedFields,
  guessFor,
  guessTable,
  isTelling,
  namesKind,
  type TableGuess,
} from './guessing/guess.ts'
import type { Import, ImportFormat, Sheet } from './items.ts'
import type { Mapping } from './mapping.ts'
import { delimiters, GUESSED_ROWS, LAST_HEADER_ROW } from './options.ts'
import { loadRows, RowWriter, type TableRow } from './store.ts'
import { storeColumns } from './stored-columns.ts'

/** Limits of a table. `cell` is in characters. */
const limits = { rows: 20_000, columns: 1_000, cell: 32_767 }

export type ReadFile = Pick<Import, 'sheets' | 'told' | 'mapping' | 'columns' | 'kind_guess' | 'delimiter' | 'encoding'>

/** The members of an import that say what is read, for whom. */
export type ReadableImport = Pick<Import, 'id' | 'object_key' | 'sha256' | 'format' | 'file_name' | 'given' | 'work'>

/** Reads the file of an import into rows, and guesses their meaning. Safe to repeat. Fails with `invalid` if it is no table. */
export async function readFile(imported: ReadableImport): Promise<ReadFile> {
  const object = imported.object_key === null ? undefined : await getObject(imported.object_key)
  if (!object) throw impossible('The file is gone.')
  const bytes = Buffer.from(object.bytes)
  if (imported.sha256 !== createHash('sha256').update(bytes).digest('hex'))
    throw impossible('The file is not what was sent.')
  const { sheets, remarks, delimiter = null, encoding = null } = await readers[imported.format](imported, bytes)
  const first = await chooseSheet(imported, sheets)
  const headers = imported.format === 'jsonl' ? 1 : imported.given.header_row
  const { columns, header_row } = await profileSheet(imported.id, first, headers)
  const about = [imported.file_name, sheets[first]?.name ?? '']
  const guessed = await guessMeaning(imported, columns, about, { sheet: first, header_row })
  return {
    ...{ sheets, delimiter, encoding },
    columns: await storeColumns(imported.id, first, { columns, guesses: guessed.guesses }),
    told: [
      ...remarks,
      ...sheetRemarks(sheets, first, header_row),
      ...columnRemarks(columns),
      ...subjectRemarks(guessed, columns, about),
    ],
    mapping: guessed.mapping,
    kind_guess: guessed.kind,
  }
}

/** Names of sheets that hold explanations rather than a table. */
const NOTES =
  /^(read ?me|notes?|about|info(rmation)?|instructions?|legend|contents|cover|help|guide|guidelines|टिप्पणी|निर्देशन|बारेमा|परिचय)\b/iu

/**
 * Chooses the sheet that the sender gave, else the visible sheet that is most like a table, the first of equals. Fails with `invalid` if
 * the sheet is empty.
 */
async function chooseSheet({ id, given }: SentTable, sheets: readonly Sheet[]): Promise<number> {
  if (given.sheet !== undefined) {
    if (!sheets[given.sheet]) throw impossible(`There is no sheet ${given.sheet}.`)
    if (sheets[given.sheet]?.rows === 0) throw impossible('The table is empty.')
    return given.sheet
  }
  const open = sheets.flatMap(({ rows, hidden }, place) => (rows > 0 && !hidden ? [place] : []))
  const [only] = open
  if (only === undefined) throw impossible('The table is empty.')
  if (open.length === 1) return only
  let best = { place: only, rank: -1 }
  for (const place of open) {
    const rank = await rankOfSheet(id, place, sheets[place])
    if (rank > best.rank) best = { place, rank }
  }
  return best.place
}

/** A rank for choosing a sheet: it holds a table, its name does not mean notes, its headers name fields. */
async function rankOfSheet(id: string, place: number, sheet: Sheet | undefined): Promise<number> {
  const rows = (await loadRows(id, place, 0)).slice(0, GUESSED_ROWS)
  const named = Math.max(0, ...rows.map(([, cells]) => countNamedFields(cells)))
  const isTable = named >= 2 || rows.filter(([, cells]) => cells.filter(Boolean).length >= 2).length >= 2
  const isNotes = NOTES.test((sheet?.name ?? '').replace(/_/g, ' ').trim())
  return (isTable ? 4 : 0) + (isNotes ? 0 : 2) + (named >= 2 ? 1 : 0)
}

/** Guesses by the table itself, then by the existing records that it names. */
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

/** The sheets of a file, how the file was read, and remarks for the sender. */
type ReadSheets = { sheets: Sheet[]; remarks: string[] } & Partial<Pick<Import, 'delimiter' | 'encoding'>>
type SentTable = Pick<Import, 'id' | 'given'>

const readers: Readonly<Record<ImportFormat, (sent: SentTable, bytes: Buffer) => Promise<ReadSheets>>> = {
  csv: readText,
  tsv: readText,
  xlsx: readWorkbook,
  ods: readOpenWorkbook,
  jsonl: readLines,
}

async function readText({ id, given }: SentTable, bytes: Buffer): Promise<ReadSheets> {
  const { text, encoding } = decodeText(bytes, given.encoding)
  const plain = text.replace(/^\uFEFF/, '')
  const delimiter = given.delimiter ?? guessDelimiter(plain)
  const size = await storeRows(id, 0, readTextRows(plain, delimiters[delimiter]))
  const remarks = encoding === 'utf-8' ? [] : [`The file is in ${encodingNames[encoding]}; it was read as such.`]
  if (delimiter === 'semicolon') remarks.push('The cells are parted by semicolons.')
  if (delimiter === 'pipe') remarks.push('The cells are parted by vertical bars.')
  return { sheets: [sheetOfText(size)], remarks, delimiter, encoding }
}

const sheetOfText = (size: { rows: number; columns: number }): Sheet => ({
  ...{ name: '', hidden: false, formulas: 0, formulas_without_values: 0, merged: 0, filled_down: 0 },
  ...{ hides_rows: false, hidden_columns: [], pads_numbers: false },
  ...size,
})

async function readLines({ id }: SentTable, bytes: Buffer): Promise<ReadSheets> {
  const { text, encoding } = decodeText(bytes)
  if (encoding === 'windows-1252') throw impossible('JSON Lines are written in UTF-8, and this file is not.')
  const size = await storeRows(id, 0, readJsonLines(text.replace(/^\uFEFF/, '')))
  return { sheets: [sheetOfText(size)], remarks: [] }
}

async function readWorkbook({ id }: SentTable, bytes: Buffer): Promise<ReadSheets> {
  // Loaded only here, since the functions that show imports need no reader of workbooks.
  const { checkWorkbook, fillDown, readWorkbookRows } = await import('./formats/workbook.ts')
  const sheets: Sheet[] = []
  for (const [i, { fills, days, ...it }] of (await checkWorkbook(bytes)).entries()) {
    const size = await storeRows(id, i, fillDown(readWorkbookRows(bytes, i, days), fills))
    sheets.push({ ...it, ...size, filled_down: fills.length })
  }
  return { sheets, remarks: [] }
}

async function readOpenWorkbook({ id }: SentTable, bytes: Buffer): Promise<ReadSheets> {
  const { readOpenDocument } = await import('./formats/open-document.ts')
  const sheets: Sheet[] = []
  for await (const { facts, rows } of readOpenDocument(bytes)) {
    const size = await storeRows(id, sheets.length, rows)
    sheets.push({ ...facts, ...size })
  }
  return { sheets, remarks: [] }
}

/** Stores the rows that are not empty. Fails with too many rows or columns, or too long texts. */
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

/** A kind, and a place in the table. Without `header_row` the header row is guessed, too. */
type GuessTarget = Pick<Mapping, 'kind' | 'sheet'> & { header_row: number | undefined }

/** Guesses again for another kind, sheet or header row. Returns the mapping, and the name under which its columns are stored. */
export async function guessAgain(
  id: string,
  target: GuessTarget,
  actor: Actor,
): Promise<{ mapping: Mapping; columns: string }> {
  const { columns, header_row } = await profileSheet(id, target.sheet, target.header_row)
  const guess = guessFor(target.kind, columns, { sheet: target.sheet, header_row })
  const { mapping, guesses } = await guessByNames(guess, columns, actor)
  return { mapping, columns: await storeColumns(id, target.sheet, { columns, guesses }) }
}

/** Rows by which columns are profiled. */
const PROFILED_ROWS = 4000

/** Profiles the columns of a sheet by the rows below its header. Without `header`, the header row is guessed. */
async function profileSheet(
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
 * Finds the header among the first 50 rows: the row that names most fields. If rows of headers follow each other, the lowest counts. If no
 * row names two fields, it is the first row with many different words.
 */
function findHeaderRow(rows: readonly TableRow[]): number {
  const start = rows.slice(0, GUESSED_ROWS)
  const named = start.map(([, cells]) => countNamedFields(cells))
  const most = Math.max(0, ...named)
  let place = most >= 2 ? named.indexOf(most) : placeOfMostWords(start)
  while (isFurtherHeader(start[place + 1]?.[1] ?? [], named[place + 1] ?? 0, most)) place += 1
  return Math.min(start[place]?.[0] ?? 1, LAST_HEADER_ROW)
}

/** Whether the row below headers has headers too: it names fields, and has no cell that looks like a value. */
function isFurtherHeader(cells: readonly string[], named: number, most: number): boolean {
  if (areHeaders(cells)) return true
  return named >= 2 && named * 2 >= most && cells.every((it) => it.length <= 60 && !/\p{N}/u.test(it))
}

function placeOfMostWords(rows: readonly TableRow[]): number {
  const scores = rows.map(([, cells]) => {
    const filled = cells.map((it) => it.trim()).filter(Boolean)
    return new Set(filled.filter((it) => !/^[\d.,°'"\s+-]+$/.test(it) && it.length <= 80)).size
  })
  const most = Math.max(0, ...scores)
  return Math.max(
    0,
    scores.findIndex((score) => score >= most * 0.75 && score > 0),
  )
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
    ...(it && it.formulas > it.formulas_without_values
      ? [`${it.formulas - it.formulas_without_values} cells hold formulas: the values that they had were taken.`]
      : []),
    ...(it && it.formulas_without_values > 0
      ? [
          `${it.formulas_without_values} cells hold formulas without stored values: they are empty here. Open the file in a spreadsheet program and save it, then send it again.`,
        ]
      : []),
    ...(it && it.merged > it.filled_down
      ? [`${it.merged - it.filled_down} ranges of cells are merged: the value stands in the first cell of each.`]
      : []),
    ...(it && it.filled_down > 0
      ? [`${it.filled_down} ranges of cells are merged over several rows: the value was put into each of these rows.`]
      : []),
    ...hiddenRemarks(it),
    ...(header_row > 1 ? [`The headers were found in row ${header_row}; what stands above them is left out.`] : []),
  ]
}

const HIDDEN_ROWS = 'Rows that are hidden in the workbook, by hand or by a filter, were read as well.'

const PADDED_NUMBERS =
  'The workbook has a format that shows zeros before numbers, such as 007. Its cells hold 7. If such a number is an identifier, make its column text.'

/** What is hidden in a workbook is often not meant for others, such as a telephone number. */
function hiddenRemarks(it: Sheet | undefined): string[] {
  const letters = it?.hidden_columns.filter((column) => column <= it.columns).map(columnLetters) ?? []
  return [
    ...(letters.length > 0
      ? [
          `Columns that are hidden in the workbook were read as well: ${letters.join(', ')}. Take them out of the mapping if they are not for others.`,
        ]
      : []),
    ...(it?.hides_rows ? [HIDDEN_ROWS] : []),
    ...(it?.pads_numbers ? [PADDED_NUMBERS] : []),
  ]
}

/** The letters by which spreadsheets call a column, counted from 1. */
function columnLetters(column: number): string {
  const before = Math.floor((column - 1) / 26)
  return `${before > 0 ? columnLetters(before) : ''}${String.fromCharCode(65 + ((column - 1) % 26))}`
}

function columnRemarks(columns: readonly Column[]): string[] {
  const bad = columns.find(({ name }) => name === BAD_LINE)?.filled ?? 0
  const again = columns.filter(({ name, header }) => header !== '' && /\(\d+\)$/.test(name) && !/\(\d+\)$/.test(header))
  return [
    ...(bad > 0 ? [`Lines without an object in JSON: ${bad}. Each of them is refused.`] : []),
    ...again.map(({ header, name }) => `There is more than one column "${header}": a further one is called "${name}".`),
  ]
}

/** The remark on a table that names hardly anything of heritage, such as the list of a shop. Empty for any other table. */
function subjectRemarks({ guesses, kind }: TableGuess, columns: readonly Column[], about: readonly string[]): string[] {
  if ([...about, ...columns.map(({ header }) => header)].some((text) => namesKind(kinds[kind], text))) return []
  const filled = columns.filter((column) => column.filled > 0 && column.name !== BAD_LINE)
  const telling = guesses.filter(({ column, field }) => field !== null && isTelling(kind, field, column, columns))
  if (filled.length < LEAST_COLUMNS || telling.length > 0) return []
  return [NOT_HERITAGE]
}
const LEAST_COLUMNS = 3
const NOT_HERITAGE =
  'Hardly anything in this table tells of heritage: no column is a date, a place, a type or a link. Is it the right table?'

/** Loads the names of the columns of a sheet whose headers are in this row. */
export async function loadColumnNames(id: string, sheet: number, header_row: number): Promise<string[]> {
  const start = await loadRows(id, sheet, 0)
  return nameColumns(headersIn(start, header_row))
}

/**
 * The headers in a row, one for each column of the first 200 rows; empty if a column has no header. If the row above has headers
 * too, they fill the gaps.
 */
function headersIn(rows: readonly TableRow[], header_row: number): string[] {
  const place = rows.findIndex(([row]) => row === header_row)
  const headers = rows[place]?.[1] ?? []
  const above = place > 0 ? (rows[place - 1]?.[1] ?? []) : []
  const gaps = areHeaders(above) ? above : []
  const width = Math.max(headers.length, ...rows.slice(0, 200).map(([, cells]) => cells.length))
  return Array.from({ length: width }, (_, i) => (headers[i]?.trim() ? headers[i] : (gaps[i] ?? '')).toWellFormed())
}
