import tables from 'bikram-sambat'
import { lru } from '../../base/lru.ts'
import { once } from '../../base/once.ts'
import { type CalendarDate, gregorianDay } from './days.ts'
import { KALI, SIDEREAL_YEAR, whenSunReaches } from './surya-siddhanta.ts'

/**
 * Bikram Sambat as Nepal counts it by the sun.
 *
 * 1. The months of 1970 to 2083 (1913 to 2027) have the lengths of the printed calendars, by the tables of the package.
 * 2. Before and after, a month begins on the day (midnight to midnight in Kathmandu) on which the sun enters its sign,
 *    by the Surya Siddhanta.
 *
 * By that rule 95 of 100 months of the tables begin on the same day. The others are one day off.
 */

/**
 * The years that are taken from the tables. The tables also have later years, but these are forecasts, and other tables
 * disagree with them.
 */
export const tabledYears = { from: 1970, to: 2083 }
const FIRST_TABLED = gregorianDay(1913, 4, 13)

/** Years of the Kali age that had passed in the year 0 of Bikram Sambat. */
const KALI_YEARS = 3044

/** Returns 13 days: the first day of each month of a year, and the first day of the next year. */
export function bikramMonths(year: number): readonly number[] {
  const cached = yearCache.get(year)
  if (cached) return cached
  const starts = [...Array.from({ length: 12 }, (_, index) => startOf(year, index + 1)), startOf(year + 1, 1)]
  yearCache.set(year, starts)
  return starts
}
const yearCache = lru<number, readonly number[]>(500)

function startOf(year: number, month: number): number {
  const tabled = tabledStarts()[(year - tabledYears.from) * 12 + month - 1]
  return tabled ?? signDay(year, month)
}

/** The day on which the sun enters the sign of a month. */
function signDay(year: number, month: number): number {
  const guess = KALI + SIDEREAL_YEAR * (year + KALI_YEARS + (month - 1) / 12)
  return Math.floor(whenSunReaches((month - 1) * 30, guess))
}

/** The first day of every month of the tables, and of the month after the last one. */
const tabledStarts = once(() => {
  const starts = [FIRST_TABLED]
  for (let year = tabledYears.from; year <= tabledYears.to; year += 1)
    for (let month = 1; month <= 12; month += 1)
      starts.push((starts.at(-1) ?? FIRST_TABLED) + tables.daysInMonth(year, month))
  return starts
})

/** Converts a day to its date in Bikram Sambat. */
export function bikramDate(day: number): CalendarDate {
  const guess = Math.floor((day - KALI) / SIDEREAL_YEAR) - KALI_YEARS
  const year = [guess + 1, guess, guess - 1].find((it) => (bikramMonths(it)[0] ?? Infinity) <= day) ?? guess
  const starts = bikramMonths(year)
  const month = starts.findLastIndex((start) => start <= day) + 1
  return { year, month, day: day - (starts[month - 1] ?? day) + 1 }
}
