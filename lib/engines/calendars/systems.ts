import { phrase } from '../../base/language/languages.ts'
import { bikramDate, bikramMonths } from './bikram-sambat.ts'
import { type CalendarDate, gregorianDate, gregorianDay, julianDate, julianDay } from './days.ts'
import type { CalendarKey } from './keys.ts'
import { civilMonths, lunarMonthNames, type MonthName, solarMonths } from './months.ts'
import { daysOfTithi, type LunarMonth, lunarMonths, nepalDate } from './nepal-sambat.ts'

/** A first and a last day, both included. An open end is infinite. */
export type Bounds = { from: number; to: number }
/** A date that its calendar does not have. `fault` is a sentence for the person who wrote it. */
export type DateFault = { fault: string }

/** A calendar: how it names days, and how its dates become days. */
export type CalendarSystem = {
  /** The mark before a year, such as "BS". '' if bare years are of this calendar. */
  mark: { en: string; ne: string }
  /** The order of an English date: "15 January 1934", else "BS 1990 Magh 2". */
  dayFirst: boolean
  /** Days are lunar, and are shown by the half of the month: "thwa 3". */
  lunarDays: boolean
  months: readonly MonthName[]
  /** The first and the last year that are read. */
  years: { from: number; to: number }
  year: (year: number) => Bounds
  /** The days of a month. A fault if the year does not have the month. */
  month: (year: number, month: number, leap?: boolean) => Bounds | DateFault
  day: (date: CalendarDate) => Bounds | DateFault
  dateOf: ((day: number) => CalendarDate) | undefined
  /** The year of a day. */
  yearOf: (day: number) => number
}

/** A Shaka year is the Bikram Sambat year minus 135. For Shaka only years are known, no months or days. */
const SHAKA_DIFFERENCE = 135

const civil = (dayOf: typeof gregorianDay, dateOf: (day: number) => CalendarDate): Omit<CalendarSystem, 'mark'> => ({
  dayFirst: true,
  lunarDays: false,
  months: civilMonths,
  years: { from: -999_999_999, to: 999_999_999 },
  year: (year) => ({ from: dayOf(year, 1, 1), to: dayOf(year + 1, 1, 1) - 1 }),
  month: (year, month) => monthFault(month) ?? { from: dayOf(year, month, 1), to: dayOf(year, month + 1, 1) - 1 },
  day: ({ year, month, day }) =>
    monthFault(month) ??
    dayIn(
      day,
      { from: dayOf(year, month, 1), to: dayOf(year, month + 1, 1) - 1 },
      () => `${civilMonths[month - 1]?.en} ${yearWords(year)}`,
    ),
  dateOf,
  yearOf: (day) => dateOf(day).year,
})

export const systems: Readonly<Record<CalendarKey, CalendarSystem>> = {
  gregorian: { mark: { en: '', ne: '' }, ...civil(gregorianDay, gregorianDate) },
  julian: { mark: { en: 'Julian', ne: 'जुलियन' }, ...civil(julianDay, julianDate) },
  bikram_sambat: {
    mark: { en: 'BS', ne: 'वि.सं.' },
    dayFirst: false,
    lunarDays: false,
    months: solarMonths,
    years: { from: 1, to: 4000 },
    year: bikramYear,
    month: (year, month) => monthFault(month) ?? bikramMonth(year, month),
    day: ({ year, month, day }) =>
      monthFault(month) ??
      dayIn(day, bikramMonth(year, month), () => phrase(`${solarMonths[month - 1]?.en} of BS ${year}`)),
    dateOf: bikramDate,
    yearOf: (day) => bikramDate(day).year,
  },
  nepal_sambat: {
    mark: { en: 'NS', ne: 'ने.सं.' },
    dayFirst: false,
    lunarDays: true,
    months: lunarMonthNames,
    years: { from: 0, to: 3000 },
    year: (year) => ({
      from: lunarMonths(year)[0]?.start ?? Number.NaN,
      to: lunarMonths(year).at(-1)?.end ?? Number.NaN,
    }),
    month: nepalMonth,
    day: nepalDay,
    dateOf: nepalDate,
    yearOf: (day) => nepalDate(day).year,
  },
  shaka: {
    mark: { en: 'Shaka', ne: 'शाके' },
    dayFirst: false,
    lunarDays: false,
    months: [],
    years: { from: 0, to: 3000 },
    year: (year) => bikramYear(year + SHAKA_DIFFERENCE),
    month: (year) => bikramYear(year + SHAKA_DIFFERENCE),
    day: ({ year }) => bikramYear(year + SHAKA_DIFFERENCE),
    dateOf: undefined,
    yearOf: (day) => bikramDate(day).year - SHAKA_DIFFERENCE,
  },
}

export const isFault = (result: object): result is DateFault => 'fault' in result

const monthFault = (month: number): DateFault | undefined =>
  month < 1 || month > 12 ? { fault: `There is no month ${month}: a year has 12.` } : undefined

function dayIn(day: number, month: Bounds, name: () => string): Bounds | DateFault {
  const date = month.from + day - 1
  if (day >= 1 && date <= month.to) return { from: date, to: date }
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

/** The days of a month of Nepal Sambat. Without `leap`, the intercalary month of the same name is included. */
function nepalMonth(year: number, month: number, leap?: boolean): Bounds | DateFault {
  const months = monthsNamed(year, month, leap)
  if (!Array.isArray(months)) return months
  return { from: Math.min(...months.map(({ start }) => start)), to: Math.max(...months.map(({ end }) => end)) }
}

function nepalDay({ year, month, day, leap_month, leap_day }: CalendarDate): Bounds | DateFault {
  const months = monthsNamed(year, month, leap_month ?? false)
  if (!Array.isArray(months)) return months
  if (day < 1 || day > 30) return { fault: `There is no lunar day ${day}: a month has 30.` }
  const [first] = months
  const days = first ? daysOfTithi(first, day) : { from: Number.NaN, to: Number.NaN }
  return leap_day ? { from: days.to, to: days.to } : days
}

function monthsNamed(year: number, month: number, leap: boolean | undefined): LunarMonth[] | DateFault {
  const fault = monthFault(month)
  if (fault) return fault
  const months = lunarMonths(year).filter(
    (lunar) => lunar.number === month && (leap === undefined || lunar.leap === leap),
  )
  if (months.length > 0) return months
  const name = lunarMonthNames[month - 1]?.en
  return { fault: leap ? `NS ${year} has no intercalary month ${name}.` : `NS ${year} has no month ${name}.` }
}
