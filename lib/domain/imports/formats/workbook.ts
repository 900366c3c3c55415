import { posix } from 'node:path'
import { streamXlsxRows } from 'hucre/xlsx'
import { impossible } from '../../../base/errors.ts'
import { MOST_SHEETS } from '../options.ts'
import {
  addHidden,
  type DayCount,
  damagedFault,
  ENCRYPTED,
  eachEntry,
  type Fill,
  isProblem,
  MOST_FILLS,
  MOST_UNPACKED,
  numberText,
  openZip,
  type SheetFacts,
  sheetName,
  streamOf,
  TOO_TIGHT,
} from './workbook-archive.ts'

/**
 * Limits of what is held in memory while a workbook is read: the list of sheets, all shared strings, all styles, and one row. They hold
 * for every part of the archive, whatever its name. A shared string takes some 100 bytes beside its text.
 */
const MOST_LISTED = 8 * 1024 * 1024
const MOST_STRINGS = 2_000_000
const MOST_STRING_BYTES = 128 * 1024 * 1024
const MOST_STYLE_BYTES = 16 * 1024 * 1024
const MOST_IN_ROW = 16 * 1024 * 1024
/** The first bytes of a compound file: an encrypted workbook, or one in the format before 2007. */
const COMPOUND = Buffer.from('d0cf11e0a1b11ae1', 'hex')

/**
 * Checks a workbook without trusting its own directory: every part is unpacked once and dropped. Fails with a sentence if it is
 * encrypted, has macros, unpacks to too much, or is no workbook.
 */
export async function checkWorkbook(bytes: Buffer): Promise<(SheetFacts & { days: DayCount })[]> {
  if (bytes.subarray(0, COMPOUND.length).equals(COMPOUND)) throw impossible(compound(bytes))
  const parts = await unpack(bytes)
  const book = parts.get(BOOK)?.text
  if (book === undefined || isElsewhere(parts.get(ROOT_RELATIONS)?.text))
    throw impossible('The file is no XLSX workbook.')
  const targets = relationsIn(parts.get(BOOK_RELATIONS)?.text).map((it) => ({ ...it, part: parts.get(it.target) }))
  for (const { type, part } of targets) if (part) checkHeld(type, part)
  const styles = targets.find(({ type }) => type === 'styles')?.part
  const days = dayCountOf(book, parts.get(PROGRAM)?.text)
  const sheets = [...book.matchAll(/<(?:\w+:)?sheet\b[^>]*>/g)].map(([tag]) => {
    const part = targets.find(({ id }) => id === attribute(tag, 'r:id'))?.part
    const hidden = ['hidden', 'veryHidden'].includes(attribute(tag, 'state'))
    return {
      name: sheetName(unescapeXml(attribute(tag, 'name'))),
      hidden,
      formulas: part?.formulas ?? 0,
      formulas_without_values: part?.formulasWithoutValues ?? 0,
      merged: part?.merged ?? 0,
      fills: part?.fills ?? [],
      hides_rows: part?.hides_rows ?? false,
      hidden_columns: part?.hidden_columns ?? [],
      pads_numbers: styles?.pads_numbers ?? false,
      days,
    }
  })
  if (sheets.length === 0) throw impossible('The workbook has no sheets.')
  if (sheets.length > MOST_SHEETS) throw impossible(`The workbook has more than ${MOST_SHEETS} sheets.`)
  return sheets
}

const BOOK = 'xl/workbook.xml'
const BOOK_RELATIONS = 'xl/_rels/workbook.xml.rels'
const ROOT_RELATIONS = '_rels/.rels'
/** Names the program that has written the workbook. */
const PROGRAM = 'docProps/app.xml'
const LISTS = [BOOK, BOOK_RELATIONS, ROOT_RELATIONS, PROGRAM]

function dayCountOf(book: string, program = ''): DayCount {
  const [properties = ''] = /<(?:\w+:)?workbookPr\b[^>]*>/.exec(book) ?? []
  if (['1', 'true'].includes(attribute(properties, 'date1904'))) return 'from_1904'
  return /<Application>LibreOffice/.test(program) ? 'libreoffice' : 'excel'
}

/** The parts that a file of relationships names. `type` is the last word of the relationship's type. Example: `sharedStrings`. */
const relationsIn = (text = ''): { id: string; type: string; target: string }[] =>
  [...text.matchAll(/<(?:\w+:)?Relationship\b[^>]*>/g)].map(([tag]) => ({
    id: attribute(tag, 'Id'),
    type: attribute(tag, 'Type').split('/').at(-1) ?? '',
    target: posix.normalize(attribute(tag, 'Target').replace(/^\/?(xl\/)?/, 'xl/')),
  }))

/** Whether the reader of rows would take another part for the workbook than the one that is checked here. */
const isElsewhere = (text: string | undefined): boolean =>
  relationsIn(text).some(({ type, target }) => type === 'officeDocument' && target !== BOOK)

/** Fails if the reader of rows would hold too much of a part. `type` is the type of its relationship. */
function checkHeld(type: string, { size, strings, longestRow }: PartFacts): void {
  if (type === 'sharedStrings' && strings > MOST_STRINGS)
    throw impossible(`The workbook has more than ${MOST_STRINGS} texts. Split it.`)
  const isTooMuch =
    (type === 'sharedStrings' && size > MOST_STRING_BYTES) ||
    (type === 'styles' && size > MOST_STYLE_BYTES) ||
    (type === 'worksheet' && longestRow > MOST_IN_ROW)
  if (isTooMuch) throw impossible(TOO_TIGHT)
}

/** Why a compound file is refused. An encrypted workbook has `EncryptedPackage` in its directory, in UTF-16. */
const compound = (bytes: Buffer) =>
  bytes.includes(Buffer.from('EncryptedPackage', 'utf16le'))
    ? ENCRYPTED
    : 'The workbook is in the format of Excel 97 to 2003. Save it as .xlsx.'

const attribute = (tag: string, name: string) => new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1] ?? ''
const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }
const unescapeXml = (text: string) =>
  text.replace(/&(amp|lt|gt|quot|apos);/g, (_, name: string) => entities[name] ?? '')

/**
 * What was counted in a part. `text`: only of parts that list other parts. `longestRow`: bytes from the start of a row to the start of the
 * next.
 */
type PartFacts = {
  text?: string
  size: number
  strings: number
  formulas: number
  formulasWithoutValues: number
  merged: number
  fills: Fill[]
  hides_rows: boolean
  hidden_columns: number[]
  pads_numbers: boolean
  longestRow: number
}

/** Unpacks all parts, one block at a time. Returns what was counted in each. */
async function unpack(bytes: Buffer): Promise<Map<string, PartFacts>> {
  const zip = await openZip(bytes)
  const parts = new Map<string, PartFacts>()
  let unpacked = 0
  await eachEntry(zip, async (entry) => {
    const name = entry.fileName
    if (/vbaProject|macrosheets\//i.test(name)) throw impossible(MACROS)
    if (entry.isEncrypted()) throw impossible(ENCRYPTED)
    const isList = LISTS.includes(name)
    const counter = new PartCounter()
    const texts: string[] = []
    for await (const block of await streamOf(zip, entry)) {
      unpacked += block.length
      counter.take(block)
      if (unpacked > MOST_UNPACKED || (isList && counter.facts.size > MOST_LISTED)) throw impossible(TOO_TIGHT)
      if (isList) texts.push(block.toString('utf8'))
    }
    parts.set(name, { ...counter.facts, ...(isList && { text: texts.join('') }) })
  })
  return parts
}

const MACROS = 'The workbook carries macros. Save it as .xlsx, without them.'

/** Counts what a part holds, block by block. */
class PartCounter {
  readonly facts: PartFacts = {
    size: 0,
    strings: 0,
    formulas: 0,
    formulasWithoutValues: 0,
    merged: 0,
    fills: [],
    hides_rows: false,
    hidden_columns: [],
    pads_numbers: false,
    longestRow: 0,
  }
  #rest = ''
  /** The end of the text before this block, so that a match across two blocks is found. */
  #before = ''
  #sinceRow = 0

  take(block: Buffer): void {
    const text = this.#rest + block.toString('latin1')
    this.facts.size += block.length
    this.facts.strings += text.match(/<(?:\w{1,5}:)?si[ />]/g)?.length ?? 0
    this.facts.formulas += text.match(/<f[ />]/g)?.length ?? 0
    this.facts.merged += text.match(/<mergeCell /g)?.length ?? 0
    const row = text.lastIndexOf('<row')
    this.#sinceRow = row < 0 ? this.#sinceRow + block.length : text.length - row
    this.facts.longestRow = Math.max(this.facts.longestRow, this.#sinceRow)
    // The start of a tag at the end of a block is kept for the next block.
    this.#rest = /<[\w:]{0,9}$/.exec(text)?.[0] ?? ''
    this.#takeCells(block.toString('latin1'))
  }

  /** Counts formulas without values, and takes merged ranges, also across the border of two blocks. */
  #takeCells(block: string): void {
    const text = this.#before + block
    // A match that ends within the block before was counted with that block.
    const isNew = (match: RegExpExecArray) => match.index + match[0].length > this.#before.length
    this.facts.formulasWithoutValues += [...text.matchAll(FORMULA_WITHOUT_VALUE)].filter(isNew).length
    for (const match of text.matchAll(MERGED_RANGE)) {
      const fill = isNew(match) && this.facts.fills.length < MOST_FILLS && fillIn(attribute(match[0], 'ref'))
      if (fill) this.facts.fills.push(fill)
    }
    this.facts.hides_rows ||= HIDDEN_ROW.test(text)
    this.facts.pads_numbers ||= PADDED.test(text)
    for (const match of text.matchAll(HIDDEN_COLUMN))
      if (isNew(match))
        addHidden(this.facts.hidden_columns, Number(attribute(match[0], 'min')), Number(attribute(match[0], 'max')))
    this.#before = text.slice(-LONGEST_MATCH)
  }
}

const FORMULA_WITHOUT_VALUE = /(?:<\/f>|<f\b[^<>]{0,100}\/>)\s{0,9}(?:<v ?\/>|<v><\/v>)?\s{0,9}<\/c>/g
const MERGED_RANGE = /<mergeCell [^<>]{1,100}>/g
/** A format that shows numbers with zeros in front, such as those of an inventory. */
const PADDED = /<numFmt [^<>]{0,50}formatCode="0{2,30}"/
/** A hidden row with cells. Programs also hide all the empty rows below a table. */
const HIDDEN_ROW = /<row [^<>]{0,150} hidden="(?:1|true)"[^<>]{0,99}(?<!\/)>/
const HIDDEN_COLUMN = /<col [^<>]{0,150} hidden="(?:1|true)"[^<>]{0,99}>/g
/** The longest text that one of these patterns matches. */
const LONGEST_MATCH = 300

/** Reads a merged range such as "A3:B7": its first column, from 0, and its rows. Undefined unless it has several rows. */
function fillIn(range: string): Fill | undefined {
  const [, letters = '', first, last] = /^([A-Z]{1,3})(\d{1,7}):[A-Z]{1,3}(\d{1,7})$/.exec(range) ?? []
  if (letters === '' || Number(last) <= Number(first)) return undefined
  const column = [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1
  return { column, first: Number(first), last: Number(last) }
}

/** Puts the value of a merged range into all its rows that the sheet has, in the first column of the range. */
export async function* fillDown(
  rows: AsyncIterable<[number, string[]]>,
  fills: readonly Fill[],
): AsyncGenerator<[number, string[]]> {
  const starts = Map.groupBy(fills, ({ first }) => first)
  let open: { fill: Fill; value: string }[] = []
  for await (const [row, cells] of rows) {
    open = open.filter(({ fill }) => fill.last >= row)
    for (const { fill, value } of open) cells[fill.column] ||= value
    for (const fill of starts.get(row) ?? []) {
      const value = cells[fill.column] ?? ''
      if (value !== '') open.push({ fill, value })
    }
    yield [row, Array.from(cells, (it) => it ?? '')]
  }
}

/** The rows of a sheet as text, with their numbers from 1. Dates are in ISO 8601; a formula gives its last value. */
export async function* readWorkbookRows(
  bytes: Uint8Array,
  sheet: number,
  days: DayCount = 'excel',
): AsyncGenerator<[number, string[]]> {
  const textOf = (value: unknown) => cellText(value, days)
  try {
    for await (const { index, values } of streamXlsxRows(bytes, { sheet })) yield [index + 1, values.map(textOf)]
  } catch (error) {
    throw isProblem(error) ? error : damagedFault()
  }
}

function cellText(value: unknown, days: DayCount): string {
  if (value === null || value === undefined) return ''
  if (value instanceof Date) return dateText(value, days)
  if (typeof value === 'object') return 'text' in value ? String(value.text) : ''
  if (typeof value === 'number') return numberText(value)
  return String(value)
}

const DAY_MS = 86_400_000
/** Excel's days 1 and 59. Its day 60 is 29 February 1900, which never was. So from then on its numbers are one too high. */
const [FIRST_DAY, DAY_59] = [Date.UTC(1900, 0, 1), Date.UTC(1900, 1, 28)]

/**
 * A date without its time if the time is midnight, and a time without its date if the date is day 0. The reader of rows counts all days
 * before 1900-03-01 as Excel does. Excel has no day before 1900-01-01: the programs that write such days count them from 1899-12-30.
 */
function dateText(date: Date, days: DayCount): string {
  if (Number.isNaN(date.getTime())) return ''
  const time = date.getTime()
  const isBefore = days !== 'from_1904' && time < FIRST_DAY
  if (isBefore && time >= FIRST_DAY - DAY_MS) return date.toISOString().slice(11, 19)
  const isDayLate = isBefore || (days === 'libreoffice' && time < DAY_59)
  const text = new Date(isDayLate ? time - DAY_MS : time).toISOString()
  return text.endsWith('T00:00:00.000Z') ? text.slice(0, 10) : text.slice(0, 19)
}
