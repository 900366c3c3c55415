import type { Entry } from 'yauzl'
import { impossible } from '../../../base/errors.ts'
import { MOST_SHEETS } from '../options.ts'
import {
  addHidden,
  damagedFault,
  ENCRYPTED,
  eachEntry,
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
import { type Attributes, XmlFault, XmlReader } from './xml-tokens.ts'

/**
 * Reads OpenDocument workbooks (ODS), such as LibreOffice writes. All sheets are in one part, which is read once, block by block.
 * Repeated cells and rows are one element with a number; they are spread out only as far as a table may go.
 */

/** Columns up to which a row is spread out: one more than a table may have, so that a wider table is refused. */
const MOST_COLUMNS = 1001
/** The most cells that the repeated cells and rows of one workbook may add when they are spread out. */
const MOST_REPEATED = 2_000_000
/** Characters of a cell that are read: one more than a cell may have. */
const LONGEST_CELL = 32_768
/** Bytes of the list of parts, and names of hidden styles, that are held. */
const MOST_LISTED = 8 * 1024 * 1024
const MOST_HIDDEN_STYLES = 1000

const CONTENT = 'content.xml'
const MANIFEST = 'META-INF/manifest.xml'
const NOT_ODS = 'The file is no ODS workbook.'
const MACROS = 'The workbook carries macros. Save it as .ods, without them.'
const DOCTYPE = 'The workbook declares entities of its own, which no spreadsheet program does.'

/** A sheet as it is read. The facts are complete once all rows have been taken. */
export type OpenSheet = { facts: Omit<SheetFacts, 'fills'> & { filled_down: number }; rows: AsyncIterable<Row> }
type Row = [number, string[]]

/** The sheets of a workbook, one after another. Take all rows of one before the next. Fails with a sentence. */
export async function* readOpenDocument(bytes: Buffer): AsyncGenerator<OpenSheet> {
  const items = itemsIn(bytes)
  try {
    let item = await items.next()
    const rows = async function* (): AsyncGenerator<Row> {
      for (item = await items.next(); !item.done && Array.isArray(item.value); item = await items.next())
        yield item.value
    }
    let sheets = 0
    while (!item.done && !Array.isArray(item.value)) {
      sheets += 1
      if (sheets > MOST_SHEETS) throw impossible(`The workbook has more than ${MOST_SHEETS} sheets.`)
      yield { facts: item.value, rows: rows() }
    }
    if (sheets === 0) throw impossible('The workbook has no sheets.')
  } finally {
    await items.return(undefined)
  }
}

/** The start of each sheet, followed by its rows. Fails with a sentence. */
async function* itemsIn(bytes: Buffer): AsyncGenerator<OpenSheet['facts'] | Row, undefined> {
  try {
    yield* contentItems(bytes)
  } catch (error) {
    throw faultOf(error)
  }
}

function faultOf(error: unknown): unknown {
  if (isProblem(error)) return error
  if (!(error instanceof XmlFault) || error.reason === 'malformed') return damagedFault()
  return impossible(error.reason === 'doctype' ? DOCTYPE : TOO_TIGHT)
}

async function* contentItems(bytes: Buffer): AsyncGenerator<OpenSheet['facts'] | Row, undefined> {
  const zip = await openZip(bytes)
  const parts = new Map<string, Entry>()
  await eachEntry(zip, async (entry) => {
    if (isMacro(entry.fileName)) throw impossible(MACROS)
    if (entry.isEncrypted()) throw impossible(ENCRYPTED)
    if ([CONTENT, MANIFEST].includes(entry.fileName)) parts.set(entry.fileName, entry)
  })
  const manifest = parts.get(MANIFEST)
  if (manifest && (await isEncrypted(await streamOf(zip, manifest)))) throw impossible(ENCRYPTED)
  const content = parts.get(CONTENT)
  if (!content) throw impossible(NOT_ODS)
  const reader = new ContentReader()
  const xml = new XmlReader(reader)
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let unpacked = 0
  for await (const block of await streamOf(zip, content)) {
    unpacked += block.length
    if (unpacked > MOST_UNPACKED) throw impossible(TOO_TIGHT)
    xml.take(decoder.decode(block, { stream: true }))
    yield* reader.takeItems()
  }
  xml.end()
  yield* reader.takeItems()
  if (!reader.isSpreadsheet) throw impossible(NOT_ODS)
}

/** Whether a part is a module or a dialog of Basic, or a script. The lists of libraries alone are no macros. */
const isMacro = (name: string): boolean =>
  /^(?:Basic|Dialogs)\/.+\/(?!(?:script|dialog)-lb\.xml$)[^/]+$|^Scripts\/.*[^/]$/.test(name)

/** Whether the list of parts says that a part is encrypted. */
async function isEncrypted(manifest: AsyncIterable<Buffer>): Promise<boolean> {
  const blocks: Buffer[] = []
  let size = 0
  for await (const block of manifest) {
    size += block.length
    if (size > MOST_LISTED) throw impossible(TOO_TIGHT)
    blocks.push(block)
  }
  return Buffer.concat(blocks).includes('encryption-data')
}

const ROW_GROUPS = ['table:table-row-group', 'table:table-header-rows', 'table:table-rows']
const ROWS = ['table:table-row', ...ROW_GROUPS]
const COLUMN_GROUPS = ['table:table-column-group', 'table:table-header-columns', 'table:table-columns']
const COLUMNS = ['table:table-column', ...COLUMN_GROUPS]
/** The elements that are read inside each element. All others are skipped with their content. Examples: comments and pictures in cells. */
const inside: Readonly<Record<string, readonly string[]>> = {
  '': ['office:document-content'],
  'office:document-content': ['office:automatic-styles', 'office:body'],
  'office:automatic-styles': ['style:style'],
  'style:style': ['style:table-properties'],
  'office:body': ['office:spreadsheet'],
  'office:spreadsheet': ['table:table'],
  'table:table': [...COLUMNS, ...ROWS],
  'table:table-column-group': COLUMNS,
  'table:table-header-columns': COLUMNS,
  'table:table-columns': COLUMNS,
  'table:table-row-group': ROWS,
  'table:table-header-rows': ROWS,
  'table:table-rows': ROWS,
  'table:table-row': ['table:table-cell', 'table:covered-table-cell'],
  'table:table-cell': ['text:p'],
  'text:p': ['text:span', 'text:a', 'text:s', 'text:tab', 'text:line-break'],
  'text:span': ['text:span', 'text:a', 'text:s', 'text:tab', 'text:line-break'],
  'text:a': ['text:span', 'text:s', 'text:tab', 'text:line-break'],
}

/** A merged range that goes on below: its last row, and its value. */
type OpenFill = { last: number; value: string }

/** Makes sheets and rows of the elements of `content.xml`. */
class ContentReader {
  isSpreadsheet = false
  #items: (OpenSheet['facts'] | { row: number; times: number; cells: string[] })[] = []
  /** The elements that are open and read. */
  readonly #path: string[] = []
  /** The depth within a skipped element: 0 outside, 1 in the skipped element itself. */
  #passedOver = 0
  #style = ''
  readonly #hiddenStyles = new Set<string>()
  #facts: OpenSheet['facts'] | undefined
  /** Merged ranges that go on below, by their first column. */
  #fills = new Map<number, OpenFill>()
  /** The columns that were declared so far. */
  #columns = 0
  #row = 0
  #isHidden = false
  #times = 1
  #cells: string[] = []
  #column = 0
  #cell: Attributes = new Map()
  #text: string[] = []
  #length = 0
  #repeated = 0

  open(name: string, attributes: Attributes): void {
    if (this.#passedOver > 0 || !inside[this.#path.at(-1) ?? '']?.includes(name)) {
      this.#passedOver += 1
      return
    }
    this.#path.push(name)
    this.#begin(name, attributes)
  }

  close(name: string): void {
    if (this.#passedOver > 0) {
      this.#passedOver -= 1
      return
    }
    this.#path.pop()
    if (name === 'table:table-row') this.#endRow()
    if (name === 'table:table-cell') this.#endCell()
  }

  text(text: string): void {
    const within = this.#path.at(-1)
    if (this.#passedOver > 0 || (within !== 'text:p' && within !== 'text:span' && within !== 'text:a')) return
    const plain = text.replace(/[ \t\r\n]+/g, ' ')
    // White space at the start of a paragraph, or after other white space, means nothing.
    this.#write(/(?:^|\s)$/.test(this.#text.at(-1) ?? '') ? plain.replace(/^ /, '') : plain)
  }

  /** The sheets and rows that are complete. Repeated rows are spread out one by one. */
  *takeItems(): Generator<OpenSheet['facts'] | Row> {
    const items = this.#items
    this.#items = []
    for (const item of items) {
      if (!('cells' in item)) yield item
      else for (let nth = 0; nth < item.times; nth += 1) yield [item.row + nth, item.cells]
    }
  }

  #begin(name: string, attributes: Attributes): void {
    if (name === 'office:spreadsheet') this.isSpreadsheet = true
    if (name === 'style:style') this.#style = attributes.get('style:name') ?? ''
    if (name === 'style:table-properties' && attributes.get('table:display') === 'false') this.#noteHidden()
    if (name === 'table:table') this.#beginSheet(attributes)
    if (name === 'table:table-row') {
      this.#times = timesIn(attributes, 'table:number-rows-repeated')
      this.#isHidden = isHidden(attributes)
      this.#cells = []
      this.#column = 0
    }
    if (name === 'table:table-column') this.#noteColumns(attributes)
    if (name === 'table:covered-table-cell') this.#column += timesIn(attributes, 'table:number-columns-repeated')
    if (name === 'table:table-cell') {
      this.#cell = attributes
      this.#text = []
      this.#length = 0
    }
    if (name === 'text:p' && this.#length > 0) this.#write('\n')
    if (name === 'text:line-break') this.#write('\n')
    if (name === 'text:tab') this.#write('\t')
    if (name === 'text:s') this.#write(' '.repeat(Math.min(timesIn(attributes, 'text:c'), LONGEST_CELL)))
  }

  #noteHidden(): void {
    if (this.#hiddenStyles.size >= MOST_HIDDEN_STYLES) throw impossible(TOO_TIGHT)
    this.#hiddenStyles.add(this.#style)
  }

  #noteColumns(attributes: Attributes): void {
    const first = this.#columns + 1
    this.#columns += timesIn(attributes, 'table:number-columns-repeated')
    if (this.#facts && isHidden(attributes)) addHidden(this.#facts.hidden_columns, first, this.#columns)
  }

  #beginSheet(attributes: Attributes): void {
    this.#facts = {
      name: sheetName(attributes.get('table:name') ?? ''),
      hidden: this.#hiddenStyles.has(attributes.get('table:style-name') ?? ''),
      ...{ formulas: 0, formulas_without_values: 0, merged: 0, filled_down: 0, hides_rows: false },
      ...{ hidden_columns: [], pads_numbers: false },
    }
    this.#items.push(this.#facts)
    this.#fills.clear()
    this.#row = 0
    this.#columns = 0
  }

  #write(text: string): void {
    if (text === '' || this.#length >= LONGEST_CELL) return
    this.#text.push(text)
    this.#length += text.length
  }

  #endCell(): void {
    const times = timesIn(this.#cell, 'table:number-columns-repeated')
    const value = copyText(textOfCell(this.#cell, this.#text.join('')).slice(0, LONGEST_CELL))
    const first = Math.min(this.#column, MOST_COLUMNS - 1)
    const end = Math.min(this.#column + times, MOST_COLUMNS)
    this.#column += times
    this.#countFacts(value, first)
    if (value === '') return
    this.#countRepeated(Math.max(0, end - first - 1))
    for (let column = first; column < Math.max(end, first + 1); column += 1) this.#cells[column] = value
  }

  #countFacts(value: string, column: number): void {
    const facts = this.#facts
    if (!facts) return
    if (this.#cell.has('table:formula')) {
      facts.formulas += 1
      if (value === '' && !this.#cell.has('office:value-type')) facts.formulas_without_values += 1
    }
    const rows = timesIn(this.#cell, 'table:number-rows-spanned')
    if (rows > 1 || timesIn(this.#cell, 'table:number-columns-spanned') > 1) facts.merged += 1
    if (rows < 2 || facts.filled_down >= MOST_FILLS) return
    facts.filled_down += 1
    if (value !== '') this.#fills.set(column, { last: this.#row + rows, value })
  }

  #endRow(): void {
    const row = this.#row + 1
    const times = this.#times
    this.#row += times
    if (this.#cells.length === 0) return
    if (this.#facts && this.#isHidden) this.#facts.hides_rows = true
    for (const [column, { last, value }] of this.#fills) {
      if (last < row) this.#fills.delete(column)
      else this.#cells[column] ||= value
    }
    const cells = Array.from(this.#cells, (it) => it ?? '')
    this.#countRepeated((times - 1) * cells.length)
    this.#items.push({ row, times, cells })
  }

  #countRepeated(cells: number): void {
    this.#repeated += cells
    if (this.#repeated > MOST_REPEATED)
      throw impossible(`The workbook repeats more than ${MOST_REPEATED} cells. Split it.`)
  }
}

/** Whether a row or column is hidden, by hand or by a filter. */
const isHidden = (attributes: Attributes): boolean =>
  ['collapse', 'filter'].includes(attributes.get('table:visibility') ?? '')

/** Copies a text. A piece of a longer text would keep all of the longer one in memory. */
const copyText = (text: string): string => Buffer.from(text).toString()

/** A whole number from 1 in an attribute. 1 if there is none. */
function timesIn(attributes: Attributes, name: string): number {
  const times = Number(attributes.get(name) ?? 1)
  return Number.isSafeInteger(times) && times > 0 ? times : 1
}

/** The value of a cell as text. Dates are in ISO 8601; a formula gives its last value; an error gives its own text. */
function textOfCell(cell: Attributes, text: string): string {
  const type = cell.get('office:value-type')
  if (type === 'float' || type === 'currency' || type === 'percentage') {
    const value = cell.get('office:value') ?? ''
    if (value === '' || !Number.isFinite(Number(value))) return text
    // A number of an inventory is shown with zeros in front, which belong to it.
    return /^0\d+$/.test(text) && Number(text) === Number(value) ? text : numberText(Number(value))
  }
  if (type === 'boolean') return cell.get('office:boolean-value') ?? text
  if (type === 'date')
    return (cell.get('office:date-value') ?? text)
      .replace(/T00:00:00(?:\.0+)?$/, '')
      .replace(/(T\d\d:\d\d:\d\d)\.\d+$/, '$1')
  if (type === 'string' && text === '') return cell.get('office:string-value') ?? ''
  return text
}
