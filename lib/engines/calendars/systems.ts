import { phrase } from '../../base/language/phrase.ts'
import { bikramDate, bikramMonths } from './bikram-sambat.ts'
import { type CalendarDate, gregorianDate, gregorianDay, julianDate, julianDay } from './days.ts'
import type { CalendarKey } from './keys.ts'
import { civilMonths, lunarMonthNames, type MonthName, solarMonths } from './months.ts'
import { daysOfTithi, type LunarMonth, lunarMonths, nepalDate } from './nepal-sambat.ts'

/** Days from the first to the last, both included; an open end is infinite. */
export type Bounds = { from: number; to: number }
/** Why a date is one that its calendar does not have, as a sentence. */
export type Fault = { fault: string }

/** A way of naming days. */
export type System = {
  /** What stands before a year of this calendar; '' where a bare year is one. */
  mark: { en: string; ne: string }
  months: readonly MonthName[]
  /** Years before these and after them are not read. */
  years: { from: number; to: number }
  year: (year: number) => Bounds
  /** A fault for months that the year does not have. */
  month: (year: number, month: number, leap?: boolean) => Bounds | Fault
  day: (date: CalendarDate) => Bounds | Fault
  /** The date of a day; undefined where only years are reckoned. */
  of: ((day: number) => CalendarDate) | undefined
  /** The year in which a day lies. */
  yearOf: (day: number) => number
}

/** Shaka is counted by years only: those of Bikram Sambat, under another number. */
const SHAKA_BEHIND_BIKRAM = 135

const civil = (reckoned: typeof gregorianDay, of: (day: number) => CalendarDate): Omit<System, 'mark'> => ({
  months: civilMonths,
  years: { from: -200_000, to: 200_000 },
  year: (year) => ({ from: reckoned(year, 1, 1), to: reckoned(year + 1, 1, 1) - 1 }),
  month: (year, month) => monthFault(month) ?? { from: reckoned(year, month, 1), to: reckoned(year, month + 1, 1) - 1 },
  day: ({ year, month, day }) =>
    monthFault(month) ??
    dayIn(
      day,
      { from: reckoned(year, month, 1), to: reckoned(year, month + 1, 1) - 1 },
      () => `${civilMonths[month - 1]?.en} ${yearWords(year)}`,
    ),
  of,
  yearOf: (day) => of(day).year,
})

export const systems: Readonly<Record<CalendarKey, System>> = {
  gregorian: { mark: { en: '', ne: '' }, ...civil(gregorianDay, gregorianDate) },
  julian: { mark: { en: 'Julian', ne: 'जुलियन' }, ...civil(julianDay, julianDate) },
  bikram_sambat: {
    mark: { en: 'BS', ne: 'वि.सं.' },
    months: solarMonths,
    years: { from: 1, to: 4000 },
    year: bikramYear,
    month: (year, month) => monthFault(month) ?? bikramMonth(year, month),
    day: ({ year, month, day }) =>
      monthFault(month) ??
      dayIn(day, bikramMonth(year, month), () => phrase(`${solarMonths[month - 1]?.en} of BS ${year}`)),
    of: bikramDate,
    yearOf: (day) => bikramDate(day).year,
  },
  nepal_sambat: {
    mark: { en: 'NS', ne: 'ने.सं.' },
    months: lunarMonthNames,
    years: { from: 0, to: 3000 },
    year: (year) => ({
      from: lunarMonths(year)[0]?.start ?? Number.NaN,
      to: lunarMonths(year).at(-1)?.end ?? Number.NaN,
    }),
    month: nepalMonth,
    day: nepalDay,
    of: nepalDate,
    yearOf: (day) => nepalDate(day).year,
  },
  shaka: {
    mark: { en: 'Shaka', ne: 'शाके' },
    months: [],
    years: { from: 0, to: 3000 },
    year: (year) => bikramYear(year + SHAKA_BEHIND_BIKRAM),
    month: (year) => bikramYear(year + SHAKA_BEHIND_BIKRAM),
    day: ({ year }) => bikramYear(year + SHAKA_BEHIND_BIKRAM),
    of: undefined,
    yearOf: (day) => bikramDate(day).year - SHAKA_BEHIND_BIKRAM,
  },
}

export const isFault = (it: object): it is Fault => 'fault' in it

const monthFault = (month: number): Fault | undefined =>
  month < 1 || month > 12 ? { fault: `There is no month ${month}: a year has 12.` } : undefined

function dayIn(day: number, month: Bounds, name: () => string): Bounds | Fault {
  const at = month.from + day - 1
  if (day >= 1 && at <= month.to) return { from: at, to: at }
  return { fault: `There is no day ${day} in ${name()}, which has ${month.to - month.from + 1} days.` }
}

const yearWords = (year: number) => (year > 0 ? `${year}` : phrase(`${1 - year} BCE`))

function bikramYear(year: number): Bounds {
  const months = bikramMonths(year)
  return { from: months[0] ?? Number.NaN, to: (months[12] ?? Number.NaN) - 1 }
}

function bikramMonth(year: number, month: number): Bounds {
  const months = bikramMonths(year)
  return { from: months[month - 1] ?? Number.NaN, to: (months[month] ?? Number.NaN) - 1 }
}

/** A month of Nepal Sambat. Its name also means the intercalary one, unless `leap` says which of the two is meant. */
function nepalMonth(year: number, month: number, leap?: boolean): Bounds | Fault {
  const found = monthsNamed(year, month, leap)
  if (!Array.isArray(found)) return found
  return { from: Math.min(...found.map(({ start }) => start)), to: Math.max(...found.map(({ end }) => end)) }
}

function nepalDay({ year, month, day, leap_month, leap_day }: CalendarDate): Bounds | Fault {
  const found = monthsNamed(year, month, leap_month ?? false)
  if (!Array.isArray(found)) return found
  if (day < 1 || day > 30) return { fault: `There is no lunar day ${day}: a month has 30.` }
  const [first] = found
  const days = first ? daysOfTithi(first, day) : { from: Number.NaN, to: Number.NaN }
  return leap_day ? { from: days.to, to: days.to } : days
}

function monthsNamed(year: number, month: number, leap: boolean | undefined): LunarMonth[] | Fault {
  const wrong = monthFault(month)
  if (wrong) return wrong
  const found = lunarMonths(year).filter((it) => it.number === month && (leap === undefined || it.leap === leap))
  if (found.length > 0) return found
  const name = lunarMonthNames[month - 1]?.en
  return { fault: leap ? `NS ${year} has no intercalary month ${name}.` : `NS ${year} has no month ${name}.` }
}
