import { streamXlsxRows } from 'hucre/xlsx'
import { type Entry, fromBuffer, type ZipFile } from 'yauzl'
import { impossible } from '../../base/errors.ts'

/** What is known of a sheet before it is read. */
export type SheetFacts = { name: string; hidden: boolean; formulas: number; merged: number }

/** Limits of a workbook: unpacked bytes, parts, sheets. Any real workbook of 50 MB is below them. */
const MOST_UNPACKED = 400 * 1024 * 1024
const MOST_PARTS = 5000
const MOST_SHEETS = 50
/**
 * What the reader holds in memory all at once, so these are bounds of memory. A shared string takes some 100 bytes beside its text.
 * Sheets are read row by row: of a sheet only a row is held.
 */
const MOST_STRINGS = 2_000_000
const MOST_HELD: Readonly<Record<string, number>> = {
  'xl/sharedStrings.xml': 128 * 1024 * 1024,
  'xl/styles.xml': 16 * 1024 * 1024,
}
const MOST_HELD_ELSE = 1024 * 1024
const MOST_IN_ROW = 16 * 1024 * 1024
/** The first bytes of a compound file: an encrypted workbook, or one in the format before 2007. */
const COMPOUND = Buffer.from('d0cf11e0a1b11ae1', 'hex')

/**
 * Checks a workbook without trusting its own directory: every part is unpacked once and dropped. Fails with a sentence if it is
 * encrypted, has macros, unpacks to too much, or is no workbook.
 */
export async function lookThrough(bytes: Buffer): Promise<SheetFacts[]> {
  if (bytes.subarray(0, COMPOUND.length).equals(COMPOUND)) throw impossible(compound(bytes))
  const parts = await unpack(bytes)
  const book = parts.get('xl/workbook.xml')
  if (book === undefined) throw impossible('The file is no XLSX workbook.')
  const targets = new Map(
    [...(parts.get('xl/_rels/workbook.xml.rels') ?? '').matchAll(/<Relationship\b[^>]*>/g)].map(([tag]) => [
      attribute(tag, 'Id'),
      attribute(tag, 'Target').replace(/^\/?(xl\/)?/, 'xl/'),
    ]),
  )
  const sheets = [...book.matchAll(/<(?:\w+:)?sheet\b[^>]*>/g)].map(([tag]) => {
    const [formulas, merged] = (parts.get(targets.get(attribute(tag, 'r:id')) ?? '') ?? '0 0').split(' ').map(Number)
    const hidden = ['hidden', 'veryHidden'].includes(attribute(tag, 'state'))
    return { name: unescapeXml(attribute(tag, 'name')), hidden, formulas: formulas ?? 0, merged: merged ?? 0 }
  })
  if (sheets.length === 0) throw impossible('The workbook has no sheets.')
  if (sheets.length > MOST_SHEETS) throw impossible(`The workbook has more than ${MOST_SHEETS} sheets.`)
  return sheets
}

/** An encrypted workbook has this name in its directory, in UTF-16. */
const compound = (bytes: Buffer) =>
  bytes.includes(Buffer.from('EncryptedPackage', 'utf16le'))
    ? 'The workbook is encrypted. Remove its password and send it again.'
    : 'The workbook is in the format of Excel 97 to 2003. Save it as .xlsx.'

const attribute = (tag: string, name: string) => new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1] ?? ''
const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }
const unescapeXml = (text: string) =>
  text.replace(/&(amp|lt|gt|quot|apos);/g, (_, name: string) => entities[name] ?? '')

/**
 * Unpacks all parts. Returns the text of those that list the sheets, and for each sheet its numbers of formulas and merged cells.
 */
async function unpack(bytes: Buffer): Promise<Map<string, string>> {
  const zip = await openZip(bytes)
  const parts = new Map<string, string>()
  let unpacked = 0
  let seen = 0
  await eachEntry(zip, async (entry) => {
    const name = entry.fileName
    seen += 1
    if (seen > MOST_PARTS) throw impossible(`The workbook has more than ${MOST_PARTS} parts.`)
    if (/vbaProject|macrosheets\//i.test(name)) throw impossible(MACROS)
    if (entry.isEncrypted()) throw impossible('The workbook is encrypted. Remove its password and send it again.')
    const isSheet = /^xl\/worksheets\/[^/]+\.xml$/.test(name)
    const isHeld = /\.(xml|rels)$/.test(name) && /^(xl\/[^/]+|xl\/_rels\/[^/]+|_rels\/[^/]+|[^/]+)$/.test(name)
    const mostHeld = isHeld ? (MOST_HELD[name] ?? MOST_HELD_ELSE) : MOST_UNPACKED
    let size = 0
    let strings = 0
    const kept = /^xl\/(workbook\.xml|_rels\/workbook\.xml\.rels)$/.test(name)
    const counter = counterOf()
    const texts: string[] = []
    for await (const block of await streamOf(zip, entry)) {
      unpacked += block.length
      size += block.length
      if (unpacked > MOST_UNPACKED || size > mostHeld) throw impossible(TOO_TIGHT)
      if (name === 'xl/sharedStrings.xml') strings += countStrings(block)
      if (strings > MOST_STRINGS) throw impossible(`The workbook has more than ${MOST_STRINGS} texts. Split it.`)
      if (isSheet) counter.take(block.toString('latin1'))
      if (counter.rowSize() > MOST_IN_ROW) throw impossible(TOO_TIGHT)
      if (kept) texts.push(block.toString('utf8'))
    }
    if (isSheet) parts.set(name, counter.told())
    if (kept) parts.set(name, texts.join(''))
  })
  return parts
}

const TOO_TIGHT = 'The workbook is packed too tightly to be sound.'
const MACROS = 'The workbook carries macros. Save it as .xlsx, without them.'

/** How many shared strings begin in a block. One whose tag is cut by the end of the block is missed: this is a bound, not a count. */
const countStrings = (block: Buffer): number => block.toString('latin1').match(/<(?:\w{1,9}:)?si[ />]/g)?.length ?? 0

/** Counts formulas and merged cells of a sheet, block by block. */
function counterOf() {
  let [formulas, merged, rest, sinceRow] = [0, 0, '', 0]
  return {
    take: (block: string) => {
      const text = rest + block
      const row = text.lastIndexOf('<row')
      sinceRow = row < 0 ? sinceRow + block.length : text.length - row
      formulas += text.match(/<f[ />]/g)?.length ?? 0
      merged += text.match(/<mergeCell /g)?.length ?? 0
      // The start of a tag at the end of a block is kept for the next block.
      rest = /<[a-zA-Z]{0,9}$/.exec(text)?.[0] ?? ''
    },
    /** Bytes since the last row began. */
    rowSize: () => sinceRow,
    told: () => `${formulas} ${merged}`,
  }
}

const damagedFault = () => impossible('The file is no workbook, or is damaged.')

const openZip = (bytes: Buffer): Promise<ZipFile> =>
  new Promise((done, fail) => {
    fromBuffer(bytes, { lazyEntries: true, validateEntrySizes: true }, (error, zip) =>
      error ? fail(damagedFault()) : done(zip),
    )
  })

const streamOf = (zip: ZipFile, entry: Entry): Promise<AsyncIterable<Buffer>> =>
  new Promise((done, fail) => {
    zip.openReadStream(entry, (error, stream) => (error ? fail(damagedFault()) : done(stream)))
  })

/** Looks at each part in turn. An error of the archive itself means that the file is damaged. */
const eachEntry = (zip: ZipFile, look: (entry: Entry) => Promise<void>): Promise<void> =>
  new Promise((done, fail) => {
    zip.on('error', () => fail(damagedFault()))
    zip.on('end', done)
    zip.on('entry', (entry: Entry) => {
      look(entry).then(
        () => zip.readEntry(),
        (error: unknown) => {
          zip.close()
          fail(error instanceof Error && error.name === 'Problem' ? error : damagedFault())
        },
      )
    })
    zip.readEntry()
  })

/** The rows of a sheet as text, with their numbers from 1. Dates are in ISO 8601; a formula gives its last value. */
export async function* workbookRows(bytes: Uint8Array, sheet: number): AsyncGenerator<[number, string[]]> {
  try {
    for await (const { index, values } of streamXlsxRows(bytes, { sheet })) yield [index + 1, values.map(textOf)]
  } catch (error) {
    throw error instanceof Error && error.name === 'Problem' ? error : damagedFault()
  }
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (value instanceof Date) return dateText(value)
  if (typeof value === 'object') return 'text' in value ? String(value.text) : ''
  // Drops digits that only binary arithmetic added. Example: 0.1 + 0.2 is 0.3.
  if (typeof value === 'number') return String(Number(value.toPrecision(15)))
  return String(value)
}

/** A date without its time if that is midnight. */
function dateText(date: Date): string {
  if (Number.isNaN(date.getTime())) return ''
  const text = date.toISOString()
  return text.endsWith('T00:00:00.000Z') ? text.slice(0, 10) : text.slice(0, 19)
}
