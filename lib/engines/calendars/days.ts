/**
 * A day is a whole number: days since 1970-01-01. The Gregorian calendar is also used for days before 1582 (proleptic),
 * as in ISO 8601.
 */

/** A date of one calendar. Years are counted as by astronomers: 1 BCE is the year 0. */
export type CalendarDate = {
  year: number
  /** From 1. In Nepal Sambat month 1 is Kachhala. */
  month: number
  /** In Nepal Sambat the lunar day: 1 to 15 in the bright half of the month, 16 to 30 in the dark half. */
  day: number
  /** The month is intercalary: it is inserted before the month with the same number. */
  leap_month?: true
  /** The second of two days that have the same lunar day at sunrise. */
  leap_day?: true
}

const DAY_MS = 86_400_000

/** The Gregorian calendar repeats itself every 400 years. `Date` covers only some 271,000 years, so dates are moved into one such cycle. */
const [CYCLE_YEARS, CYCLE_DAYS] = [400, 146_097]

/** Converts a Gregorian date to a day. A month or day that is too large continues in the next year or month. */
export function gregorianDay(year: number, month: number, day: number): number {
  const cycles = Math.floor(year / CYCLE_YEARS)
  // `Date.UTC` reads the years 0 to 99 as 1900 to 1999.
  const inCycle = new Date(0).setUTCFullYear(year - cycles * CYCLE_YEARS, month - 1, day) / DAY_MS
  return inCycle + cycles * CYCLE_DAYS
}

/** Converts a day to its Gregorian date. */
export function gregorianDate(day: number): CalendarDate {
  const cycles = Math.floor(day / CYCLE_DAYS)
  const date = new Date((day - cycles * CYCLE_DAYS) * DAY_MS)
  return {
    year: date.getUTCFullYear() + cycles * CYCLE_YEARS,
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
  }
}

/** The day of 0000-03-01 in the Julian calendar. Here a year begins in March, so the leap day is its last day. */
const JULIAN_MARCH = -719_470

/** Converts a Julian date to a day. A month or day that is too large continues in the next year or month. */
export function julianDay(year: number, month: number, day: number): number {
  const months = year * 12 + month - 3
  const [years, within] = [Math.floor(months / 12), ((months % 12) + 12) % 12]
  return JULIAN_MARCH + Math.floor((1461 * years) / 4) + Math.floor((153 * within + 2) / 5) + day - 1
}

/** Converts a day to its Julian date. */
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
