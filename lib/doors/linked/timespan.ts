import { type Interval, readInterval } from '../../engines/calendars/index.ts'
import { widenDoubt } from '../../engines/matching/index.ts'
import type { Node } from './context.ts'

/** The words of a dating: the whole, its begin and end, or the earliest and latest moment. */
export type Dating = { whole?: string; begin?: string; end?: string; earliest?: string; latest?: string }

/**
 * A dating as a time-span: its words, and its bounds if the words can be read. P82a and P82b bound the time within which it happened. P81a
 * and P81b bound the time throughout which it lasted, if begin and end are dated separately. An approximate year gets bounds as wide as
 * comparisons allow, and a mark. `calendar` is the calendar of the record's dates.
 */
export function timespanOf(id: string, dating: Dating, calendar: unknown): Node {
  const read = (words: string | undefined) => (words === undefined ? undefined : readInterval(words, calendar))
  const { whole, begin, end, earliest, latest } = dating
  const [first, last] = [read(begin) ?? read(earliest) ?? read(whole), read(end) ?? read(latest) ?? read(whole)]
  const [from, to] = [first && widenDoubt(first).from, last && widenDoubt(last).to]
  const throughout = sureBetween(...(begin && end ? [read(begin), read(end)] : endsOf(whole).map(read)))
  return {
    id,
    type: 'crm:E52_Time-Span',
    label: wordsOf(dating),
    'crm:P82a_begin_of_the_begin': moment(from, MORNING),
    'crm:P81a_end_of_the_begin': moment(throughout?.from, NIGHT),
    'crm:P81b_begin_of_the_end': moment(throughout?.to, MORNING),
    'crm:P82b_end_of_the_end': moment(to, NIGHT),
    'heritageGraph:date_precision': first?.approximate || last?.approximate ? 'Circa' : undefined,
  }
}

const MORNING = 'T00:00:00Z'
const NIGHT = 'T23:59:59Z'

function wordsOf({ whole, begin, end, earliest, latest }: Dating): string {
  const [first, last] = [begin ?? earliest, end ?? latest]
  return whole ?? (first && last ? `${first} / ${last}` : (first ?? last ?? ''))
}

/** The two ends of an EDTF interval, such as `1702/1750`. */
const endsOf = (words = ''): string[] => /^(-?[\dX-]+)\/(-?[\dX-]+)$/.exec(words)?.slice(1) ?? []

/**
 * From the last possible day of the beginning to the first possible day of the end. Undefined if either is unknown or approximate, or if
 * they overlap.
 */
function sureBetween(first?: Interval, last?: Interval): { from: number; to: number } | undefined {
  if (!first || !last || first.approximate || last.approximate || first.to >= last.from) return undefined
  return { from: first.to, to: last.from }
}

/** A day as xsd:dateTime, whose years have at least four digits and no plus sign. Undefined for an open end. */
function moment(day: number | undefined, clock: string) {
  if (day === undefined || !Number.isFinite(day)) return undefined
  const [, sign = '', year = '', rest = ''] =
    /^([+-]?)(\d+)(-\d\d-\d\d)/.exec(new Date(day * 86_400_000).toISOString()) ?? []
  const digits = year.replace(/^0+(?=\d{4})/, '')
  return { type: 'xsd:dateTime', '@value': `${sign === '-' ? '-' : ''}${digits}${rest}${clock}` }
}
