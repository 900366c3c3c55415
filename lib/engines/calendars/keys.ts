/** The calendars in which dates are read and shown. */
export const calendarKeys = ['gregorian', 'julian', 'bikram_sambat', 'nepal_sambat', 'shaka'] as const
export type CalendarKey = (typeof calendarKeys)[number]

/** Short names of calendars, as queries give them, beside the keys. */
const short: ReadonlyMap<string, CalendarKey> = new Map([
  ['bs', 'bikram_sambat'],
  ['ns', 'nepal_sambat'],
])
/** All names under which queries ask for a calendar. */
export const calendarNames = [...calendarKeys, ...short.keys()]

/** The calendar that a query names; undefined for any other word. */
export const findCalendar = (name: string): CalendarKey | undefined =>
  short.get(name) ?? calendarKeys.find((it) => it === name)
