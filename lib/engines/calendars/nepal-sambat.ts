import { lru } from '../../base/lru.ts'
import type { CalendarDate } from './days.ts'
import { KALI, moonPhase, nextNewMoon, SIDEREAL_YEAR, sunLongitude, whenSunReaches } from './surya-siddhanta.ts'

/**
 * Nepal Sambat by the published rule.
 *
 * 1. Its months go from new moon to new moon (amanta), and are named by the sign that the sun is in.
 * 2. A month in which the sun enters no sign is intercalary, and goes before its namesake. Where the sun enters two
 *    signs, one month is left out.
 * 3. A day has the number of the lunar day (tithi) at its sunrise. So numbers are left out, and come twice.
 * 4. Years have gone by when they are counted: the year 0 began on 20 October 879 (Julian).
 */

/** A month of a year: `number` from 1, Kachhala. */
export type LunarMonth = { number: number; leap: boolean; start: number; end: number }

/** In the spring before the year 0 of the era, so many years of the Kali age had gone by. */
const KALI_YEARS = 3980
const SUNRISE = 0.25

/** The months of a year in their order; 12 or 13. */
export function lunarMonths(year: number): readonly LunarMonth[] {
  const kept = years.get(year)
  if (kept) return kept
  const moons = newMoonsOf(year)
  const months = moons.slice(0, -1).map((moon, at): LunarMonth => {
    const [sign, next] = [signAt(moon), signAt(moons[at + 1] ?? moon)]
    const [start, end] = [firstDayAfter(moon), firstDayAfter(moons[at + 1] ?? moon) - 1]
    return { number: ((sign + 6) % 12) + 1, leap: sign === next, start, end }
  })
  years.set(year, months)
  return months
}
const years = lru<number, readonly LunarMonth[]>(500)

/** From the first new moon of a year to the first one of the next. */
function newMoonsOf(year: number): number[] {
  const [first, last] = [firstMoonOf(year), firstMoonOf(year + 1)]
  const moons = [first]
  for (let moon = first; moon < last - 1; ) {
    moon = nextNewMoon(moon + 20)
    moons.push(moon)
  }
  return moons
}

/** The first new moon after the sun has entered Libra: its month is Kachhala, or the one after where that is left out. */
const firstMoonOf = (year: number): number =>
  nextNewMoon(whenSunReaches(180, KALI + SIDEREAL_YEAR * (year + KALI_YEARS + 0.5)))

/** The sign in which the sun is: 0 is Aries, 6 Libra. */
const signAt = (moment: number): number => Math.floor(sunLongitude(moment) / 30)

/** The first day at whose sunrise a new moon is past. */
function firstDayAfter(moon: number): number {
  const day = Math.ceil(moon - SUNRISE)
  if (tithiOf(day) > 15) return day + 1
  return tithiOf(day - 1) < 15 ? day - 1 : day
}

/** The lunar day that is current at the sunrise of a day: 1 to 30. */
const tithiOf = (day: number): number => Math.floor(moonPhase(day + SUNRISE) / 12) + 1

/** The date of a day. */
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

/** The days of a lunar day: one, or two where it comes twice. Where it is left out, the day within which it ran. */
export function daysOfTithi({ start, end }: LunarMonth, tithi: number): { from: number; to: number } {
  const days = Array.from({ length: end - start + 1 }, (_, at) => start + at)
  const own = days.filter((day) => tithiOf(day) === tithi)
  const [from = days.findLast((day) => tithiOf(day) < tithi) ?? start] = own
  return { from, to: own.at(-1) ?? from }
}
