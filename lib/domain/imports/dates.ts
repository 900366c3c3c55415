import { type Interval, isFault, readDateOrFault, readInterval, showDate } from '../../engines/calendars/index.ts'

/** Dates as spreadsheets and forms write them: day numbers, and three numbers whose order depends on the country. */

/** Which of the two first numbers of "12/05/1890" is the day. */
export const dateOrders = ['day_first', 'month_first'] as const
export type DateOrder = (typeof dateOrders)[number]

/** Spreadsheets count days from 1899-12-30. The numbers of the days from 1927 to 2119 have five digits, so none looks like a year. */
const DAY_NUMBER = /^[1-8]\d{4}(?:\.\d+)?$/
const [FIRST_DAY_NUMBER, LAST_DAY_NUMBER] = [10_000, 80_000]
const DAYS_BEFORE_1970 = 25_569

const THREE_NUMBERS = /^(\d{1,2})([/.-])(\d{1,2})\2(\d{4})$/
const YEAR_FIRST = /^(\d{4})[/.](\d{1,2})[/.](\d{1,2})$/

const inAscii = (text: string) => text.replace(/[०-९]/g, (it) => String(it.charCodeAt(0) - 0x966)).trim()
const isoDate = (year: string, month: string, day: string) =>
  `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`

/** The order of a date such as "25/12/1890", in which 25 is no month. Undefined if both numbers could be months. */
export function surelyFirst(text: string): DateOrder | undefined {
  const [, a = '', , b = ''] = THREE_NUMBERS.exec(inAscii(text)) ?? []
  if (a === '' || Number(a) > 31 || Number(b) > 31) return undefined
  if (Number(a) > 12 && Number(b) <= 12) return 'day_first'
  return Number(b) > 12 && Number(a) <= 12 ? 'month_first' : undefined
}

/** A text of a date field as it will be stored, and a doubt about it. */
type DateText = { text: string; doubt?: string }

/**
 * Rewrites dates of spreadsheets as `1890-12-25`. Any other text stays as it is. A date that may be two days stays, too, unless
 * `order` says which number is the day; the doubt names both days.
 */
export function rewriteDate(written: string, order?: DateOrder): DateText {
  const text = inAscii(written)
  if (DAY_NUMBER.test(text)) {
    const number = Math.floor(Number(text))
    if (number < FIRST_DAY_NUMBER || number > LAST_DAY_NUMBER) return { text: written }
    const day = new Date((number - DAYS_BEFORE_1970) * 86_400_000).toISOString().slice(0, 10)
    return { text: day, doubt: `${written} was read as ${day}, since spreadsheets count days.` }
  }
  const [, year = '', month = '', day = ''] = YEAR_FIRST.exec(text) ?? []
  if (year !== '') return { text: isoDate(year, month, day) }
  const [, a = '', , b = '', last = ''] = THREE_NUMBERS.exec(text) ?? []
  if (last === '') return { text: written }
  const dayFirst = isoDate(last, b, a)
  const monthFirst = isoDate(last, a, b)
  const first = surelyFirst(text)
  if (first === undefined && (Number(a) > 12 || Number(b) > 12)) return { text: written }
  const chosen = first ?? (Number(a) === Number(b) ? 'day_first' : order)
  if (chosen !== undefined) return { text: chosen === 'day_first' ? dayFirst : monthFirst }
  return {
    text: written,
    doubt: `${written} may be ${dayFirst} or ${monthFirst}. Say which in the mapping: "date_order" is "day_first" or "month_first".`,
  }
}

/** Whether a text is a date, or three numbers as spreadsheets write a date. */
export const isDateText = (text: string): boolean => readInterval(text) !== undefined || isThreeNumbers(text)

const isThreeNumbers = (text: string) => THREE_NUMBERS.test(inAscii(text)) || YEAR_FIRST.test(inAscii(text))

/** The first and the last day of a date, in the Gregorian calendar. An open end is null. */
export type DateBounds = { from: string | null; to: string | null; approximate: boolean }

/** The bounds of a date as it will be stored, or the reason why it cannot be read. */
export function boundsOfDate(text: string, calendar: unknown): DateBounds | { fault: string } {
  const date = readDateOrFault(text, calendar)
  return isFault(date) ? date : boundsIn(date)
}

export function boundsIn(days: Interval): DateBounds {
  const { from, to, approximate } = showDate(days, 'gregorian')
  return { from, to, approximate }
}
