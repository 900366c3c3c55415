import * as v from 'valibot'
import type { Language } from '../../base/language/languages.ts'
import * as s from '../../base/shapes.ts'
import { type CalendarKey, calendarKeys } from '../../engines/calendars/index.ts'
import type { Request } from './request.ts'

/** How dates are shown to whoever asks. */
export type Showing = { calendar: CalendarKey; language: Language }

/**
 * A date in one calendar. `from` and `to` are its first and last day as year, month and day in that calendar (of Shaka, years); null where it is open.
 * Of Nepal Sambat months count from Kachhala and days are lunar: 16 to 30 are the dark half; an L marks an intercalary month, and the second day of one lunar day.
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
/** A date in the calendar that was asked for, beside its words. */
export const DateShownView = s.shape('DateShown', () => v.object({ words: s.text, ...ShownDateView.entries }))
/** The dates of a record in the calendar that was asked for, by member, beside their words. */
export const DatesShownView = s.shape('DatesShown', () => v.record(v.string(), DateShownView))
/** A date as it was written, as it was understood, and in other calendars. */
export const ConvertedDateView = s.shape('ConvertedDate', () =>
  v.object({
    words: s.text,
    understood: ShownDateView,
    shown: v.object(v.entriesFromList(calendarKeys, v.optional(ShownDateView))),
  }),
)

/** The calendar that a query names, else the caller's own; undefined where there is neither, and dates are their words alone. */
export function showingOf(request: Request, asked: CalendarKey | undefined): Showing | undefined {
  const calendar = asked ?? request.calendar
  if (calendar === undefined) return undefined
  request.spoke = true
  return { calendar, language: request.language }
}
