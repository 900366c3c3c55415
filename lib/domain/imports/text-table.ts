import { Readable } from 'node:stream'
import { parse } from 'csv-parse'
import { impossible } from '../../base/errors.ts'

/** The text of a table, and its encoding. */
export function decodeText(bytes: Buffer): { text: string; encoding: 'UTF-8' | 'UTF-16' | 'Windows-1252' } {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return { text: utf16(bytes, 'utf-16le'), encoding: 'UTF-16' }
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return { text: utf16(bytes, 'utf-16be'), encoding: 'UTF-16' }
  if (bytes.includes(0)) throw impossible('The file is no text: it holds bytes of zero.')
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes), encoding: 'UTF-8' }
  } catch {
    return { text: new TextDecoder('windows-1252').decode(bytes), encoding: 'Windows-1252' }
  }
}

const utf16 = (bytes: Buffer, label: string) => new TextDecoder(label).decode(bytes)

/** The delimiter: comma, semicolon or tab, whichever the first line has most and the next lines have as often. */
export function findDelimiter(text: string): string {
  const lines = text
    .slice(0, 20_000)
    .replace(/"[^"]*"/g, '')
    .split(/\r\n|\r|\n/)
    .slice(0, 20)
    .filter(Boolean)
  const [head = ''] = lines
  const score = (mark: string) => {
    const first = head.split(mark).length - 1
    return first === 0 ? 0 : first + lines.filter((line) => line.split(mark).length - 1 === first).length
  }
  return [',', '\t', ';'].reduce((best, mark) => (score(mark) > score(best) ? mark : best))
}

/**
 * The rows of a table in text, with their numbers from 1. Line ends of every sort are accepted, also mixed. Fails if a quotation
 * mark is not closed.
 */
export async function* readTextRows(text: string, delimiter: string): AsyncGenerator<[number, string[]]> {
  const parser = Readable.from(pieces(text)).pipe(
    parse({
      delimiter,
      relax_column_count: true,
      relax_quotes: true,
      record_delimiter: ['\r\n', '\n', '\r'],
      max_record_size: LONGEST_ROW,
    }),
  )
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

const LONGEST_ROW = 4 * 1024 * 1024

/** The text in pieces, so that rows are parsed only as they are read. */
function* pieces(text: string): Generator<string> {
  for (let at = 0; at < text.length; at += 65_536) yield text.slice(at, at + 65_536)
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
