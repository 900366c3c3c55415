import { readInterval } from '../../engines/calendars/index.ts'
import { parseCoordinates, parseDegrees } from './cells.ts'

/** What is known of a column: its header, some of its values, and their sorts. */
export type Column = {
  /** The header, made unique; "Column 7" without one. */
  name: string
  header: string
  filled: number
  /** The first different values. */
  samples: string[]
  /** For each sort, the share of the values that are of it, from 0 to 1. */
  shares: Record<Sort, number>
  /** The numbers of the first rows in which it is not empty. */
  rows?: ReadonlySet<number>
  /** All different values; undefined if they are too many. */
  values: string[] | undefined
}

/** The sorts of values. A value may be of several. */
const sorts = ['date', 'coordinates', 'degrees', 'address', 'devanagari', 'mixed', 'number', 'long'] as const
export type Sort = (typeof sorts)[number]

const is: Readonly<Record<Sort, (text: string) => boolean>> = {
  date: (text) => text.length <= 100 && readInterval(text) !== undefined,
  coordinates: (text) => parseCoordinates(text) !== undefined,
  degrees: (text) => parseDegrees(text) !== undefined,
  address: (text) => /^https?:\/\/\S+$/i.test(text),
  devanagari: (text) => /\p{Script=Devanagari}/u.test(text) && !/\p{Script=Latin}{2}/u.test(text),
  mixed: (text) => /\p{Script=Devanagari}/u.test(text) && /\p{Script=Latin}{2}/u.test(text),
  number: (text) => /^[+-]?\d+([.,]\d+)?$/.test(text),
  long: (text) => text.length > 80,
}

const SAMPLES = 5
const LOOKED_AT = 500
const DIFFERENT = 60
const LONGEST_SAMPLE = 80

/** Collects facts about columns, row by row; `columns` returns them. */
export function profiler(headers: readonly string[]) {
  const names = nameColumns(headers)
  const seen = names.map(() => ({
    filled: 0,
    looked: 0,
    values: new Set<string>(),
    of: new Map<Sort, number>(),
    rows: new Set<number>(),
  }))
  let row = 0
  return {
    look: (cells: readonly string[]) => {
      row += 1
      for (const [i, it] of seen.entries()) {
        const text = (cells[i] ?? '').trim()
        if (text === '') continue
        it.filled += 1
        if (it.values.size <= DIFFERENT) it.values.add(text.slice(0, 300))
        if (it.looked === LOOKED_AT) continue
        it.looked += 1
        it.rows.add(row)
        for (const sort of sorts) if (is[sort](text)) it.of.set(sort, (it.of.get(sort) ?? 0) + 1)
      }
    },
    columns: (): Column[] =>
      seen.map(({ filled, looked, values, of, rows }, i) => ({
        rows,
        name: names[i] ?? '',
        header: (headers[i] ?? '').trim(),
        filled,
        samples: [...values].slice(0, SAMPLES).map((it) => it.slice(0, LONGEST_SAMPLE)),
        shares: sharesOf((sort) => (looked === 0 ? 0 : (of.get(sort) ?? 0) / looked)),
        values: values.size > DIFFERENT ? undefined : [...values],
      })),
  }
}

const sharesOf = (share: (sort: Sort) => number): Record<Sort, number> => ({
  date: share('date'),
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
  const taken = new Map<string, number>()
  return headers.map((header, i) => {
    const plain =
      header
        .normalize('NFC')
        .replace(/[\s\p{Cc}]+/gu, ' ')
        .trim()
        .slice(0, 200) || `Column ${i + 1}`
    const times = (taken.get(plain) ?? 0) + 1
    taken.set(plain, times)
    return times === 1 ? plain : `${plain} (${times})`
  })
}
