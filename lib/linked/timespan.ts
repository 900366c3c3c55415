import { interval } from '../domain/edtf.ts'
import type { Node } from './context.ts'

/** The words of a dating: of all of it, or of its two ends. */
export type Dating = { whole?: string; earliest?: string; latest?: string }

/**
 * A dating as a time-span: its words, and where they can be read the first moment in which it may have begun and the
 * last in which it may have ended. `calendar` is the one that the record says its dates are given in.
 */
export function timespanOf(id: string, { whole, earliest, latest }: Dating, calendar: unknown): Node {
  const read = (words: string | undefined) => (words === undefined ? undefined : intervalIn(words, calendar))
  const all = read(whole)
  const begin = read(earliest)?.from ?? all?.from
  const end = read(latest)?.to ?? all?.to
  const ends = [earliest, latest].filter((words) => words !== undefined)
  return {
    id,
    type: 'crm:E52_Time-Span',
    label: whole ?? (ends.length === 2 ? ends.join(' / ') : (ends[0] ?? '')),
    'crm:P82a_begin_of_the_begin': moment(begin, 'T00:00:00Z'),
    'crm:P82b_end_of_the_end': moment(end, 'T23:59:59Z'),
  }
}

const eras: Readonly<Record<string, string>> = { bikram_sambat: 'BS', nepal_sambat: 'NS' }

/** A bare year of another calendar is not one of ours. Words that name their own calendar say more than the record does. */
function intervalIn(words: string, calendar: unknown) {
  if (typeof calendar !== 'string' || calendar === '' || calendar === 'gregorian') return interval(words)
  const era = eras[calendar]
  return (era && interval(`${era} ${words}`)) || (/\p{L}/u.test(words) ? interval(words) : undefined)
}

/** A day as xsd:dateTime, whose years have no plus sign and four digits or more; nothing for an end that is open. */
function moment(day: number | undefined, clock: string) {
  if (day === undefined || !Number.isFinite(day)) return undefined
  const [, sign = '', year = '', rest = ''] =
    /^([+-]?)(\d+)(-\d\d-\d\d)/.exec(new Date(day * 86_400_000).toISOString()) ?? []
  const digits = year.replace(/^0+(?=\d{4})/, '')
  return { type: 'xsd:dateTime', '@value': `${sign === '-' ? '-' : ''}${digits}${rest}${clock}` }
}
