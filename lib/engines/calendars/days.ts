/**
 * A day is a whole number: days since 1970-01-01. The Gregorian calendar goes on before 1582 (proleptic), as in ISO
 * 8601.
 */

/** A day as a calendar names it. Years count as astronomers do: 1 BCE is 0. */
export type CalendarDate = {
  year: number
  /** From 1; of Nepal Sambat 1 is Kachhala. */
  month: number
  /** Of Nepal Sambat the lunar day: 1 to 15 in the bright half, 16 to 30 in the dark one. */
  day: number
  /** The month is an intercalary one, which goes before the month of its number. */
  leap_month?: true
  /** The second of two days on which the same lunar day is current at sunrise. */
  leap_day?: true
}

const DAY_MS = 86_400_000

/** The day of a Gregorian date; months and days beyond their ends run on. */
export function gregorianDay(year: number, month: number, day: number): number {
  // Date.UTC alone would take the years 0 to 99 for 1900 to 1999.
  return new Date(0).setUTCFullYear(year, month - 1, day) / DAY_MS
}

/** The Gregorian date of a day. */
export function gregorianDate(day: number): CalendarDate {
  const at = new Date(day * DAY_MS)
  return { year: at.getUTCFullYear(), month: at.getUTCMonth() + 1, day: at.getUTCDate() }
}

/** The day of 0000-03-01 in the Julian calendar. Years are counted from March here, so that a leap day ends a year. */
const JULIAN_MARCH = -719_470

/** The day of a Julian date; months and days beyond their ends run on. */
export function julianDay(year: number, month: number, day: number): number {
  const months = year * 12 + month - 3
  const [years, within] = [Math.floor(months / 12), ((months % 12) + 12) % 12]
  return JULIAN_MARCH + Math.floor((1461 * years) / 4) + Math.floor((153 * within + 2) / 5) + day - 1
}

/** The Julian date of a day. */
export function julianDate(day: number): CalendarDate {
  const days = day - JULIAN_MARCH
  const years = Math.floor((4 * days + 3) / 1461)
  const inYear = days - Math.floor((1461 * years) / 4)
  const within = Math.floor((5 * inYear + 2) / 153)
  const month = within < 10 ? within + 3 : within - 9
  return {
    year: month < 3 ? years + 1 : years,
    month,
    day: inYear - Math.floor((153 * within + 2) / 5) + 1,
  }
}
