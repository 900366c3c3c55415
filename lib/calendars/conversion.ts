import type { Language } from '../language/languages.ts'
import { type CalendarKey, calendarKeys } from './keys.ts'
import { type Reading, readDate } from './reading.ts'
import { type ShownDate, shownIn } from './shown.ts'
import type { Fault } from './systems.ts'

/** What is said of words that are no date at all. */
const UNREAD = 'This cannot be read as a date; write it like 1702, 1702~, 1200/1300, 1934-01-15, BS 1759 or NS 822.'

/** Words as a date, or why they are none. */
export function dateIn(words: string, calendar: unknown): Reading | Fault {
  return readDate(words, calendar) ?? { fault: UNREAD }
}

/** A date in several calendars. */
export type Shown = Partial<Record<CalendarKey, ShownDate>>

/** The same days in each of these calendars. */
const shownInAll = (found: Reading, into: readonly CalendarKey[], language: Language): Shown =>
  Object.fromEntries(into.map((key) => [key, shownIn(found, key, language)]))

/** A date with what was understood of it: its own calendar, and others. */
export const converted = (
  words: string,
  found: Reading,
  { into = calendarKeys, language }: { into?: readonly CalendarKey[] | undefined; language: Language },
) => ({
  words,
  understood: shownIn(found, found.calendar, language),
  shown: shownInAll(found, into, language),
})
