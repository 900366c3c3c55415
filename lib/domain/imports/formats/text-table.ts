import { Readable } from 'node:stream'
import { parse } from 'csv-parse'
import { parse as parseAtOnce } from 'csv-parse/sync'
import { impossible } from '../../../base/errors.ts'
import { areHeaders } from '../guessing/guess.ts'
import { type DelimiterName, delimiterNames, delimiters, type Encoding, GUESSED_ROWS } from '../options.ts'

/** Bytes from which UTF-16 without a byte order mark is guessed. */
const LOOKED_AT = 4096

/**
 * Guesses the encoding of a text. UTF-16 is known by its byte order mark, or by zeros in every other byte. Otherwise it is UTF-8 if all
 * bytes fit, else Windows-1252.
 */
function guessEncoding(bytes: Buffer): Encoding {
  if (hasMark(bytes, 0xff, 0xfe) || hasMark(bytes, 0xfe, 0xff) || zeroSide(bytes) !== undefined) return 'utf-16'
  return decodeAs('utf-8', bytes) === undefined ? 'windows-1252' : 'utf-8'
}

const hasMark = (bytes: Buffer, first: number, second: number) => bytes[0] === first && bytes[1] === second

/**
 * On which side of pairs of bytes zeros lie: 1 in UTF-16 with the low byte first. Undefined unless a quarter of all bytes are zeros, on one
 * side alone.
 */
function zeroSide(bytes: Buffer): 0 | 1 | undefined {
  const head = bytes.subarray(0, LOOKED_AT)
  const zeros = [0, 0]
  for (const [place, byte] of head.entries()) if (byte === 0) zeros[place % 2] = (zeros[place % 2] ?? 0) + 1
  const [even = 0, odd = 0] = zeros
  if (Math.max(even, odd) * 4 < head.length || Math.min(even, odd) > 0) return undefined
  return odd > even ? 1 : 0
}

/** The text of bytes. Undefined if they are not in this encoding. */
function decodeAs(encoding: Encoding, bytes: Buffer): string | undefined {
  const isBigEndian = hasMark(bytes, 0xfe, 0xff) || (!hasMark(bytes, 0xff, 0xfe) && zeroSide(bytes) === 0)
  const label = encoding === 'utf-16' ? (isBigEndian ? 'utf-16be' : 'utf-16le') : encoding
  try {
    return new TextDecoder(label, { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/** The text of a table, and its encoding. Without `given` the encoding is guessed. Fails if the bytes are not in it. */
export function decodeText(bytes: Buffer, given?: Encoding): { text: string; encoding: Encoding } {
  const encoding = given ?? guessEncoding(bytes)
  if (encoding !== 'utf-16' && bytes.includes(0)) throw impossible('The file is no text: it holds bytes of zero.')
  const text = decodeAs(encoding, bytes)
  if (text === undefined) throw impossible(`The file is not in ${encodingNames[encoding]}.`)
  return { text, encoding }
}

export const encodingNames: Readonly<Record<Encoding, string>> = {
  'utf-8': 'UTF-8',
  'utf-16': 'UTF-16',
  'windows-1252': 'Windows-1252',
}

/** Characters of the start of a text from which its delimiter is guessed. */
const LOOKED_AT_TEXT = 200_000

/**
 * Guesses the delimiter over the first 50 rows. A delimiter that gives a row of known headers wins. Else the delimiter wins that gives most
 * rows the same number of cells. A title line above the table does not matter, since it is one row of many.
 */
export function guessDelimiter(text: string): DelimiterName {
  let best: { name: DelimiterName; score: number } = { name: 'comma', score: 0 }
  for (const name of delimiterNames) {
    const score = scoreOf(firstRows(text, delimiters[name]))
    if (score > best.score) best = { name, score }
  }
  return best.name
}

/** The first rows that are not empty. A fault ends them, such as a quotation mark that is open at the end of the piece. */
function firstRows(text: string, delimiter: string): string[][] {
  const rows: string[][] = []
  const take = (cells: string[]) => {
    if (cells.some((it) => it.trim() !== '')) rows.push(cells)
    return null
  }
  try {
    parseAtOnce(text.slice(0, LOOKED_AT_TEXT), { ...reading(delimiter), to: GUESSED_ROWS, on_record: take })
  } catch {
    return rows
  }
  return rows
}

/** What known headers add to a score. Without them a score stays far below it. */
const KNOWN_HEADERS = 1000

function scoreOf(rows: readonly (readonly string[])[]): number {
  const widths = Map.groupBy(rows, ({ length }) => length)
  const usual = [...widths.values()].reduce((a, b) => (b.length > a.length ? b : a), [])
  const width = usual[0]?.length ?? 1
  if (width < 2) return 0
  const share = usual.length / rows.length
  const known = rows.some((cells) => cells.length > 1 && areHeaders(cells))
  return share * share * Math.log2(width) + (known ? KNOWN_HEADERS : 0)
}

/**
 * The rows of a table in text, with their numbers from 1. Line ends of every sort are accepted, also mixed. Fails if a quotation
 * mark is not closed.
 */
export async function* readTextRows(text: string, delimiter: string): AsyncGenerator<[number, string[]]> {
  const parser = Readable.from(pieces(text)).pipe(parse(reading(delimiter)))
  let row = 0
  try {
    for await (const cells of parser) {
      row += 1
      yield [row, cells]
    }
  } catch (error) {
    throw impossible(faultOf(error))
  }
}

const reading = (delimiter: string) => ({
  delimiter,
  relax_column_count: true,
  relax_quotes: true,
  record_delimiter: ['\r\n', '\n', '\r'],
  max_record_size: LONGEST_ROW,
})

const LONGEST_ROW = 4 * 1024 * 1024

const PIECE = 65_536

/** The text in pieces, so that rows are parsed only as they are read. No piece ends within a character. */
function* pieces(text: string): Generator<string> {
  for (let at = 0, end = 0; at < text.length; at = end) {
    end = at + PIECE
    if (/[\ud800-\udbff]/.test(text.charAt(end - 1))) end += 1
    yield text.slice(at, end)
  }
}

/** Where and why the parser stopped. */
const faultOf = (error: unknown): string =>
  error instanceof Error && 'lines' in error
    ? `The table cannot be read in line ${Number(error.lines)}: ${wordsOf(error)}`
    : `The table cannot be read: ${wordsOf(error)}`
const codes: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'a quotation mark is not closed.',
  CSV_MAX_RECORD_SIZE: 'a row is longer than 4 MB.',
}
const wordsOf = (error: unknown) =>
  (error instanceof Error && 'code' in error && codes[String(error.code)]) || 'its quotation marks do not fit.'
