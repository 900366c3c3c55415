import { lru } from '../../base/lru.ts'
import type { CalendarDate } from './days.ts'
import { KALI, moonPhase, nextNewMoon, SIDEREAL_YEAR, sunLongitude, whenSunReaches } from './surya-siddhanta.ts'

/**
 * Nepal Sambat by the published rule.
 *
 * 1. Its months go from new moon to new moon (amanta), and are named by the sign that the sun is in.
 * 2. A month in which the sun enters no sign is intercalary, and comes before the month of the same name. If the sun
 *    enters two signs in a month, one month of the year is missing.
 * 3. A day has the number of the lunar day (tithi) at its sunrise. So a number may be missing, or occur twice.
 * 4. A year has the number of years that have passed: the year 0 began on 20 October 879 (Julian).
 */

/** A month of a year, with its first and last day. `number` is from 1, Kachhala. */
export type LunarMonth = { number: number; leap: boolean; start: number; end: number }

/** Years of the Kali age that had passed in the spring before the year 0 of Nepal Sambat. */
const KALI_YEARS = 3980
/** The time of sunrise, as a part of a day. */
const SUNRISE = 0.25

/** Returns the 12 or 13 months of a year, in order. */
export function lunarMonths(year: number): readonly LunarMonth[] {
  const cached = yearCache.get(year)
  if (cached) return cached
  const moons = newMoonsOf(year)
  const months = moons.slice(0, -1).map((moon, index): LunarMonth => {
    const nextMoon = moons[index + 1] ?? moon
    const [sign, nextSign] = [signAt(moon), signAt(nextMoon)]
    const [start, end] = [firstDayAfter(moon), firstDayAfter(nextMoon) - 1]
    return { number: ((sign + 6) % 12) + 1, leap: sign === nextSign, start, end }
  })
  yearCache.set(year, months)
  return months
}
const yearCache = lru<number, readonly LunarMonth[]>(500)

/** The new moons from the first one of a year to the first one of the next year, both included. */
function newMoonsOf(year: number): number[] {
  const [first, last] = [firstMoonOf(year), firstMoonOf(year + 1)]
  const moons = [first]
  for (let moon = first; moon < last - 1; ) {
    moon = nextNewMoon(moon + 20)
    moons.push(moon)
  }
  return moons
}

/**
 * The first new moon after the sun has entered Libra. It begins Kachhala, or the month after if Kachhala is missing.
 */
const firstMoonOf = (year: number): number =>
  nextNewMoon(whenSunReaches(180, KALI + SIDEREAL_YEAR * (year + KALI_YEARS + 0.5)))

/** The sign of the sun: 0 is Aries, 6 is Libra. */
const signAt = (moment: number): number => Math.floor(sunLongitude(moment) / 30)

/** The first day with its sunrise after a new moon. */
function firstDayAfter(moon: number): number {
  const day = Math.ceil(moon - SUNRISE)
  if (tithiOf(day) > 15) return day + 1
  return tithiOf(day - 1) < 15 ? day - 1 : day
}

/** The lunar day at the sunrise of a day, 1 to 30. */
const tithiOf = (day: number): number => Math.floor(moonPhase(day + SUNRISE) / 12) + 1

/** Converts a day to its date in Nepal Sambat. */
export function nepalDate(day: number): CalendarDate {
  const guess = Math.floor((day - KALI) / SIDEREAL_YEAR - 0.5) - KALI_YEARS
  const year = [guess + 1, guess, guess - 1].find((it) => (lunarMonths(it)[0]?.start ?? Infinity) <= day) ?? guess
  const month = lunarMonths(year).findLast(({ start }) => start <= day)
  const tithi = tithiOf(day)
  return {
    year,
    month: month?.number ?? 1,
    day: tithi,
    ...(month?.leap && { leap_month: true as const }),
    ...(tithiOf(day - 1) === tithi && { leap_day: true as const }),
  }
}

/** The days of a lunar day: one, or two if it occurs twice. If no sunrise has it, the day during which it passed. */
export function daysOfTithi({ start, end }: LunarMonth, tithi: number): { from: number; to: number } {
  const days = Array.from({ length: end - start + 1 }, (_, i) => start + i)
  const own = days.filter((day) => tithiOf(day) === tithi)
  const [from = days.findLast((day) => tithiOf(day) < tithi) ?? start] = own
  return { from, to: own.at(-1) ?? from }
}
