import * as v from 'valibot'
import type { Language } from '../../base/language/languages.ts'
import * as s from '../../base/shapes.ts'
import { type CalendarKey, calendarKeys } from '../../engines/calendars/index.ts'
import type { Request } from './request.ts'

/** The calendar and the language in which an answer shows dates. */
export type DateStyle = { calendar: CalendarKey; language: Language }

/**
 * A date in one calendar. `from` and `to` are its first and last day as year, month and day; in the Shaka calendar, as years. An open
 * end is null. In Nepal Sambat, months count from Kachhala and days are lunar: 16 to 30 are the dark half. There an L marks an
 * intercalary month, or the second day of one lunar day.
 */
const ShownDateView = s.shape('ShownDate', () =>
  v.object({
    calendar: s.oneOf(calendarKeys),
    from: s.maybe(s.text),
    to: s.maybe(s.text),
    approximate: v.boolean(),
    text: s.text,
  }),
)
/** A date as it was written, with the same date in the requested calendar. */
export const DateShownView = s.shape('DateShown', () => v.object({ words: s.text, ...ShownDateView.entries }))
/** The dates of a record by member, each as it was written and in the requested calendar. */
export const DatesShownView = s.shape('DatesShown', () => v.record(v.string(), DateShownView))
/** A date as it was written, as it was understood, and in other calendars. */
export const ConvertedDateView = s.shape('ConvertedDate', () =>
  v.object({
    words: s.text,
    understood: ShownDateView,
    shown: v.object(v.entriesFromList(calendarKeys, v.optional(ShownDateView))),
  }),
)

/** Chooses the calendar for dates: the one of the query, else the caller's own. Undefined without either: dates are then text only. */
export function dateStyleOf(request: Request, queryCalendar: CalendarKey | undefined): DateStyle | undefined {
  const calendar = queryCalendar ?? request.calendar
  if (calendar === undefined) return undefined
  request.isTranslated = true
  return { calendar, language: request.language }
}
