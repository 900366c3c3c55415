import type { CalendarKey } from '../calendars/keys.ts'
import type { Language } from '../language/languages.ts'
import type { Request } from './request.ts'

/** How dates are shown to whoever asks. */
export type Showing = { calendar: CalendarKey; language: Language }

/** The calendar that a query names, else the caller's own; undefined where there is neither, and dates are their words alone. */
export function showingOf(request: Request, asked: CalendarKey | undefined): Showing | undefined {
  const calendar = asked ?? request.calendar
  if (calendar === undefined) return undefined
  request.spoke = true
  return { calendar, language: request.language }
}
