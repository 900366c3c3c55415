import { type Entry, fromBuffer, type ZipFile } from 'yauzl'
import { impossible } from '../../../base/errors.ts'

/** What workbooks of all formats have in common: archives of parts, with sheets. */

/** What is known of a sheet beside its rows. */
export type SheetFacts = {
  name: string
  hidden: boolean
  formulas: number
  formulas_without_values: number
  merged: number
  /** Merged ranges over several rows, whose value belongs to each of these rows. */
  fills: readonly Fill[]
  hides_rows: boolean
  /** From 1, in order. */
  hidden_columns: number[]
  /** Whether the workbook may show numbers with zeros in front, which their cells do not hold. */
  pads_numbers: boolean
}

/** The most hidden columns of a sheet that are noted. */
const MOST_HIDDEN = 50

/** Adds the columns `first` to `last`, up to `MOST_HIDDEN` in all. */
export function addHidden(columns: number[], first: number, last: number): void {
  for (let column = first; column <= last && columns.length < MOST_HIDDEN; column += 1) columns.push(column)
}

/**
 * How a workbook counts days. Excel counts from 1900-01-01 and has a day 60, 1900-02-29, that never was; older Macs count from 1904. LibreOffice
 * has no such day: it counts from 1899-12-30, and has days before.
 */
export type DayCount = 'excel' | 'from_1904' | 'libreoffice'

/** A merged range over several rows: its first column, from 0, and its first and last row, from 1. */
export type Fill = { column: number; first: number; last: number }

/** Limits of a workbook: unpacked bytes, parts. Any real workbook of 50 MB is below them. */
export const MOST_UNPACKED = 400 * 1024 * 1024
const MOST_PARTS = 5000
/** The most merged ranges of a sheet that are filled down. */
export const MOST_FILLS = 20_000

export const TOO_TIGHT = 'The workbook is packed too tightly to be sound.'
export const ENCRYPTED = 'The workbook is encrypted. Remove its password and send it again.'

/** Whether an error has a sentence for the sender. */
export const isProblem = (error: unknown): boolean => error instanceof Error && error.name === 'Problem'

/** The fault of an archive that cannot be read. */
export const damagedFault = () => impossible('The file is no workbook, or is damaged.')

/** Opens an archive. Fails with `invalid` if it is damaged. */
export const openZip = (bytes: Buffer): Promise<ZipFile> =>
  new Promise((done, fail) => {
    fromBuffer(bytes, { lazyEntries: true, validateEntrySizes: true }, (error, zip) =>
      error ? fail(damagedFault()) : done(zip),
    )
  })

/** The unpacked bytes of a part. */
export const streamOf = (zip: ZipFile, entry: Entry): Promise<AsyncIterable<Buffer>> =>
  new Promise((done, fail) => {
    zip.openReadStream(entry, (error, stream) => (error ? fail(damagedFault()) : done(stream)))
  })

/** Looks at each part in turn. An error of the archive itself means that the file is damaged. Fails if the archive has too many parts. */
export const eachEntry = (zip: ZipFile, look: (entry: Entry) => Promise<void>): Promise<void> =>
  new Promise((done, fail) => {
    let seen = 0
    zip.on('error', () => fail(damagedFault()))
    zip.on('end', done)
    zip.on('entry', (entry: Entry) => {
      seen += 1
      const fault = seen > MOST_PARTS ? `The workbook has more than ${MOST_PARTS} parts.` : undefined
      const looked = fault === undefined ? look(entry) : Promise.reject(impossible(fault))
      looked.then(
        () => zip.readEntry(),
        (error: unknown) => {
          zip.close()
          fail(isProblem(error) ? error : damagedFault())
        },
      )
    })
    zip.readEntry()
  })

/** The name of a sheet as it is shown: no more than its first `LONGEST_NAME` characters. */
export const sheetName = (name: string): string => name.slice(0, LONGEST_NAME).toWellFormed()
const LONGEST_NAME = 100

/** A number as text, without the digits that only binary arithmetic added. Example: 0.1 + 0.2 is 0.3. */
export const numberText = (value: number): string => String(Number(value.toPrecision(15)))
