import type { Language } from '../../base/language/languages.ts'
import { type CalendarKey, calendarKeys } from './keys.ts'
import { type DateReading, readDate } from './reading.ts'
import { type ShownDate, showDate } from './shown.ts'
import type { Fault } from './systems.ts'

/** The fault of words that are no date at all. */
const UNREAD = 'This cannot be read as a date; write it like 1702, 1702~, 1200/1300, 1934-01-15, BS 1759 or NS 822.'

/** Words as a date, or why they are none. */
export function readDateOrFault(words: string, calendar: unknown): DateReading | Fault {
  return readDate(words, calendar) ?? { fault: UNREAD }
}

/** A date in several calendars. */
export type ShownDates = Partial<Record<CalendarKey, ShownDate>>

/** The same days in each of these calendars. */
const shownInAll = (found: DateReading, into: readonly CalendarKey[], language: Language): ShownDates =>
  Object.fromEntries(into.map((key) => [key, showDate(found, key, language)]))

/** A date in its own calendar (`understood`), and in others (`shown`). */
export const convertDate = (
  words: string,
  found: DateReading,
  { into = calendarKeys, language }: { into?: readonly CalendarKey[] | undefined; language: Language },
) => ({
  words,
  understood: showDate(found, found.calendar, language),
  shown: shownInAll(found, into, language),
})
