import { parseCoordinates, parseDegrees } from '../cells.ts'
import { isDateText, surelyFirst } from '../dates.ts'

/** The profile of a column: its header, some of its values, and their sorts. */
export type Column = {
  /** The header, made unique. A column without a header is "Column 7". */
  name: string
  header: string
  filled: number
  /** The first different values. */
  samples: string[]
  /** The share of values of each sort, from 0 to 1. */
  shares: Record<Sort, number>
  /** The numbers of the first rows in which the column has a value. */
  rows?: ReadonlySet<number>
  /** All different values; undefined if there are more than 60. */
  values: string[] | undefined
}

/** The sorts of values. A value may be of several. */
const sorts = [
  'date',
  'day_first',
  'month_first',
  'coordinates',
  'degrees',
  'address',
  'devanagari',
  'mixed',
  'number',
  'long',
] as const
export type Sort = (typeof sorts)[number]

const isOfSort: Readonly<Record<Sort, (text: string) => boolean>> = {
  date: (text) => text.length <= 100 && isDateText(text),
  day_first: (text) => surelyFirst(text) === 'day_first',
  month_first: (text) => surelyFirst(text) === 'month_first',
  coordinates: (text) => parseCoordinates(text) !== undefined,
  degrees: (text) => parseDegrees(text) !== undefined,
  address: (text) => /^https?:\/\/\S+$/i.test(text),
  devanagari: (text) => /\p{Script=Devanagari}/u.test(text) && !/\p{Script=Latin}{2}/u.test(text),
  mixed: (text) => /\p{Script=Devanagari}/u.test(text) && /\p{Script=Latin}{2}/u.test(text),
  number: (text) => /^[+-]?\d+([.,]\d+)?$/.test(text),
  long: (text) => text.length > 80,
}

/** Different values that are shown. */
const SAMPLES = 5
const SAMPLE_LENGTH = 80
/** Values of a column whose sort is looked at. */
const TESTED_VALUES = 500
/** The most different values of a column that are listed. A column with more has no list. */
const DIFFERENT_VALUES = 60

/** The counts of the values of one column. */
type Tally = { filled: number; tested: number; values: Set<string>; bySort: Map<Sort, number>; rows: Set<number> }

/** Profiles the columns of a sheet, row by row. */
export class ColumnProfiler {
  readonly #headers: readonly string[]
  readonly #names: string[]
  readonly #tallies: Tally[]
  #row = 0

  constructor(headers: readonly string[]) {
    this.#headers = headers
    this.#names = nameColumns(headers)
    this.#tallies = headers.map(() => ({
      filled: 0,
      tested: 0,
      values: new Set(),
      bySort: new Map(),
      rows: new Set(),
    }))
  }

  addRow(cells: readonly string[]): void {
    this.#row += 1
    for (const [i, tally] of this.#tallies.entries()) {
      const text = (cells[i] ?? '').trim()
      if (text !== '') addValue(tally, text, this.#row)
    }
  }

  /** The profiles of the columns, by the rows so far. */
  columns(): Column[] {
    return this.#tallies.map(({ filled, tested, values, bySort, rows }, i) => ({
      rows,
      name: this.#names[i] ?? '',
      header: (this.#headers[i] ?? '').trim(),
      filled,
      samples: [...values].slice(0, SAMPLES).map((text) => text.slice(0, SAMPLE_LENGTH).toWellFormed()),
      shares: sharesOf((sort) => (tested === 0 ? 0 : (bySort.get(sort) ?? 0) / tested)),
      values: values.size > DIFFERENT_VALUES ? undefined : [...values],
    }))
  }
}

function addValue(tally: Tally, text: string, row: number): void {
  tally.filled += 1
  if (tally.values.size <= DIFFERENT_VALUES) tally.values.add(text.slice(0, 300))
  if (tally.tested === TESTED_VALUES) return
  tally.tested += 1
  tally.rows.add(row)
  for (const sort of sorts) if (isOfSort[sort](text)) tally.bySort.set(sort, (tally.bySort.get(sort) ?? 0) + 1)
}

const sharesOf = (share: (sort: Sort) => number): Record<Sort, number> => ({
  date: share('date'),
  day_first: share('day_first'),
  month_first: share('month_first'),
  coordinates: share('coordinates'),
  degrees: share('degrees'),
  address: share('address'),
  devanagari: share('devanagari'),
  mixed: share('mixed'),
  number: share('number'),
  long: share('long'),
})

/** A unique name for each column: its header in one line. A repeated header gets "(2)", an empty one becomes "Column 7". */
export function nameColumns(headers: readonly string[]): string[] {
  const uses = new Map<string, number>()
  return headers.map((header, i) => {
    const plain =
      header
        .normalize('NFC')
        .replace(/[\s\p{Cc}]+/gu, ' ')
        .trim()
        .slice(0, 200)
        .toWellFormed() || `Column ${i + 1}`
    const times = (uses.get(plain) ?? 0) + 1
    uses.set(plain, times)
    return times === 1 ? plain : `${plain} (${times})`
  })
}
