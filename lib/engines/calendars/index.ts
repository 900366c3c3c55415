// To read a date: words to days.

export { readDateOrFault } from './conversion.ts'
export { readMonths } from './months-in-words.ts'
export { findPeriod, periodNames, readBounds, reigns } from './periods.ts'
export { type DateReading, type Interval, readInterval, withCalendar } from './reading.ts'
export { isFault } from './systems.ts'

// To show a date: days to words, in any of the calendars.

export { convertDate } from './conversion.ts'
export { type ShownDate, showDate } from './shown.ts'

// To name a calendar, and to count days.

export { gregorianDate, gregorianDay } from './days.ts'
export { type CalendarKey, calendarKeys, calendarNames, findCalendar } from './keys.ts'
