import * as v from 'valibot'
import { choice } from '../../platform/http/body.ts'

/**
 * How a file is read. The sender may give each option. A missing encoding is guessed from the bytes, any other option from the first 50
 * rows.
 */

/** The marks between cells of a table in text, by their names on the wire. */
export const delimiters = { comma: ',', semicolon: ';', tab: '\t', pipe: '|' } as const
export type DelimiterName = keyof typeof delimiters
export const delimiterNames = ['comma', 'semicolon', 'tab', 'pipe'] as const satisfies readonly DelimiterName[]

export const encodings = ['utf-8', 'utf-16', 'windows-1252'] as const
export type Encoding = (typeof encodings)[number]

/** The most sheets of a workbook, and the last row in which headers may stand. */
export const MOST_SHEETS = 50
export const LAST_HEADER_ROW = 50
/** Rows from which options are guessed. */
export const GUESSED_ROWS = 50

export const wholeWithin = (least: number, most: number) =>
  v.pipe(v.number('Give a whole number.'), v.integer('Give a whole number.'), v.minValue(least), v.maxValue(most))

export const optionNames = ['delimiter', 'encoding', 'sheet', 'header_row'] as const

/** Options as a JSON body gives them. */
export const optionEntries = {
  delimiter: v.exactOptional(choice(delimiterNames)),
  encoding: v.exactOptional(choice(encodings)),
  /** The place of the sheet, from 0. */
  sheet: v.exactOptional(wholeWithin(0, MOST_SHEETS - 1)),
  /** The row of the headers, from 1. */
  header_row: v.exactOptional(wholeWithin(1, LAST_HEADER_ROW)),
}

/** The options that a sender gave. */
export const ReadOptions = v.object(optionEntries)
export type ReadOptions = v.InferOutput<typeof ReadOptions>

/** The options among the members of a body. */
export function optionsIn({ delimiter, encoding, sheet, header_row }: ReadOptions): ReadOptions {
  return {
    ...(delimiter && { delimiter }),
    ...(encoding && { encoding }),
    ...(sheet !== undefined && { sheet }),
    ...(header_row !== undefined && { header_row }),
  }
}

const numberText = (least: number, most: number) =>
  v.pipe(
    v.string('Give a whole number.'),
    v.regex(/^\d{1,4}$/, 'Give a whole number.'),
    v.transform(Number),
    v.minValue(least),
    v.maxValue(most),
  )

/** The same options as members of a form, which sends texts. */
export const formOptionEntries = {
  ...optionEntries,
  sheet: v.exactOptional(numberText(0, MOST_SHEETS - 1)),
  header_row: v.exactOptional(numberText(1, LAST_HEADER_ROW)),
}
