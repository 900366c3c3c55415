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
 * That rule gives 95 of 100 months of the tables to the day, and the others to one day.
 */

/**
 * The years that are taken from the tables. For later years these hold forecasts, which do not agree with those of
 * others.
 */
export const tabledYears = { from: 1970, to: 2083 }
const FIRST_TABLED = gregorianDay(1913, 4, 13)

/** In the year 0 of the era so many years of the Kali age had gone by. */
const KALI_YEARS = 3044

/** The first days of the twelve months of a year, and of the year after it. */
export function bikramMonths(year: number): readonly number[] {
  const kept = years.get(year)
  if (kept) return kept
  const starts = [...Array.from({ length: 12 }, (_, at) => startOf(year, at + 1)), startOf(year + 1, 1)]
  years.set(year, starts)
  return starts
}
const years = lru<number, readonly number[]>(500)

function startOf(year: number, month: number): number {
  const first = tabledStarts()[(year - tabledYears.from) * 12 + month - 1]
  return first ?? signDay(year, month)
}

/** The day on which the sun enters the sign of a month. */
function signDay(year: number, month: number): number {
  const about = KALI + SIDEREAL_YEAR * (year + KALI_YEARS + (month - 1) / 12)
  return Math.floor(whenSunReaches((month - 1) * 30, about))
}

/** The first day of every month that the tables cover, and of the one after them. */
const tabledStarts = once(() => {
  const starts = [FIRST_TABLED]
  for (let year = tabledYears.from; year <= tabledYears.to; year += 1)
    for (let month = 1; month <= 12; month += 1)
      starts.push((starts.at(-1) ?? FIRST_TABLED) + tables.daysInMonth(year, month))
  return starts
})

/** The date of a day. */
export function bikramDate(day: number): CalendarDate {
  const guess = Math.floor((day - KALI) / SIDEREAL_YEAR) - KALI_YEARS
  const year = [guess + 1, guess, guess - 1].find((it) => (bikramMonths(it)[0] ?? Infinity) <= day) ?? guess
  const starts = bikramMonths(year)
  const month = starts.findLastIndex((start) => start <= day) + 1
  return { year, month, day: day - (starts[month - 1] ?? day) + 1 }
}
