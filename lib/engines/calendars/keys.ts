/** The calendars in which dates are read and shown. */
export const calendarKeys = ['gregorian', 'julian', 'bikram_sambat', 'nepal_sambat', 'shaka'] as const
export type CalendarKey = (typeof calendarKeys)[number]

/** Short names of calendars that queries may use instead of the keys. */
const shortNames: ReadonlyMap<string, CalendarKey> = new Map([
  ['bs', 'bikram_sambat'],
  ['ns', 'nepal_sambat'],
])
/** All names of calendars that queries accept. */
export const calendarNames = [...calendarKeys, ...shortNames.keys()]

/** Finds a calendar by its key or short name. Undefined if no calendar has the name. */
export const findCalendar = (name: string): CalendarKey | undefined =>
  shortNames.get(name) ?? calendarKeys.find((it) => it === name)
