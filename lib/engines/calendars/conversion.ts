import type { Language } from '../../base/language/languages.ts'
import { type CalendarKey, calendarKeys } from './keys.ts'
import { type DateReading, readDate } from './reading.ts'
import { type ShownDate, showDate } from './shown.ts'
import type { DateFault } from './systems.ts'

/** The fault of words in which no date can be read. */
const UNREAD = 'This cannot be read as a date; write it like 1702, 1702~, 1200/1300, 1934-01-15, BS 1759 or NS 822.'

/** Reads words as a date. Returns a fault, never undefined, if they are not one. */
export function readDateOrFault(words: string, calendar: unknown): DateReading | DateFault {
  return readDate(words, calendar) ?? { fault: UNREAD }
}

export type ShownDates = Partial<Record<CalendarKey, ShownDate>>

/** Shows the days of a date in each of these calendars. */
const showInAll = (date: DateReading, into: readonly CalendarKey[], language: Language): ShownDates =>
  Object.fromEntries(into.map((key) => [key, showDate(date, key, language)]))

/** Shows a date in the calendar in which it was written (`understood`), and in each calendar of `into` (`shown`). */
export const convertDate = (
  words: string,
  date: DateReading,
  { into = calendarKeys, language }: { into?: readonly CalendarKey[] | undefined; language: Language },
) => ({
  words,
  understood: showDate(date, date.calendar, language),
  shown: showInAll(date, into, language),
})
