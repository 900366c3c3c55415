import { inDevanagari, type Language } from '../../base/language/languages.ts'
import type { CalendarDate } from './days.ts'
import type { Interval } from './forms.ts'
import type { CalendarKey } from './keys.ts'
import { type Bounds, type CalendarSystem, isFault, systems } from './systems.ts'

/** A date as shown in one calendar: its first and last day in numbers, and a text. An open end is null. */
export type ShownDate = {
  calendar: CalendarKey
  from: string | null
  to: string | null
  approximate: boolean
  text: string
}

/**
 * Shows a span of days in a calendar. `from` and `to` of Shaka are years, since only its years are known. Days that the
 * calendar cannot reckon are shown in the Gregorian calendar.
 */
export function showDate(days: Interval, asked: CalendarKey, language: Language = 'en'): ShownDate {
  const calendar = canReckon(asked, days) ? asked : 'gregorian'
  const system = systems[calendar]
  const number = (day: number) => (Number.isFinite(day) ? dateNumbers(system, day) : null)
  return {
    calendar,
    from: number(days.from),
    to: number(days.to),
    approximate: days.approximate,
    text: intervalText(days, system, language),
  }
}

/** Sun and moon are reckoned for 200,000 years before and after 1970. Further away rounding errors would show. */
const canReckon = (calendar: CalendarKey, { from, to }: Bounds): boolean =>
  calendar === 'gregorian' ||
  calendar === 'julian' ||
  [from, to].every((day) => !Number.isFinite(day) || Math.abs(day) < RECKONED_DAYS)
const RECKONED_DAYS = 200_000 * 365

/**
 * A date in numbers: `2031-04-05`. An L after the month means that it is intercalary. An L after the day means that it
 * is the second day with the same lunar day.
 */
function dateNumbers(system: CalendarSystem, day: number): string {
  const date = system.dateOf?.(day)
  if (!date) return yearNumber(system.yearOf(day))
  const [month, dayOfMonth] = [`${date.month}`.padStart(2, '0'), `${date.day}`.padStart(2, '0')]
  return `${yearNumber(date.year)}-${month}${date.leap_month ? 'L' : ''}-${dayOfMonth}${date.leap_day ? 'L' : ''}`
}

/** A year of at least four digits, with a minus sign for years before 0. Up to 9999 this is ISO 8601. */
const yearNumber = (year: number) => `${year < 0 ? '-' : ''}${`${Math.abs(year)}`.padStart(4, '0')}`

const words = {
  en: { about: 'c. ', before: (text: string) => `until ${text}`, since: (text: string) => `since ${text}`, bce: 'BCE' },
  ne: { about: 'करिब ', before: (text: string) => `${text} सम्म`, since: (text: string) => `${text} देखि`, bce: 'ई.पू.' },
} as const

function intervalText(days: Interval, system: CalendarSystem, language: Language): string {
  const { about, before, since } = words[language]
  const { from, to } = days
  const [hasStart, hasEnd] = [Number.isFinite(from), Number.isFinite(to)]
  const dayText = (day: number) => boundsText({ from: day, to: day }, system, language)
  const text =
    hasStart && hasEnd
      ? boundsText({ from, to }, system, language)
      : hasStart
        ? since(dayText(from))
        : hasEnd
          ? before(dayText(to))
          : ''
  const whole = days.approximate ? `${about}${text}` : text
  return language === 'ne' ? inDevanagari(whole) : whole
}

/** Longer spans are shown by their years. The day on which a century of another calendar begins helps no reader. */
const MOST_DAYS = 62

function boundsText({ from, to }: Bounds, system: CalendarSystem, language: Language): string {
  const years = [system.yearOf(from), system.yearOf(to)] as const
  if (!system.dateOf || to - from > MOST_DAYS) return yearsText(years, system, language)
  const [first, last] = [system.dateOf(from), system.dateOf(to)]
  if (isWholeMonth({ from, to }, first, system)) return monthWords(first, system, language)
  const begin = dayWords(first, system, language)
  return from === to ? begin : `${begin} – ${dayWords(last, system, language)}`
}

function isWholeMonth(days: Bounds, { year, month, leap_month }: CalendarDate, system: CalendarSystem): boolean {
  const whole = system.month(year, month, leap_month ?? false)
  return !isFault(whole) && whole.from === days.from && whole.to === days.to
}

function yearsText([first, last]: readonly [number, number], system: CalendarSystem, language: Language): string {
  const years =
    first === last ? yearWords(first, language) : `${yearWords(first, language)}/${yearWords(last, language)}`
  return [system.mark[language], years].filter(Boolean).join(' ')
}

const yearWords = (year: number, language: Language) => (year > 0 ? `${year}` : `${1 - year} ${words[language].bce}`)

const leapWord = { en: 'intercalary ', ne: 'अधिक ' } as const

const monthName = ({ month, leap_month }: CalendarDate, { months }: CalendarSystem, language: Language) =>
  `${leap_month ? leapWord[language] : ''}${months[month - 1]?.[language] ?? month}`

function monthWords(date: CalendarDate, system: CalendarSystem, language: Language): string {
  const [name, year] = [monthName(date, system, language), yearWords(date.year, language)]
  const { [language]: mark } = system.mark
  return system.dayFirst && language === 'en'
    ? [name, year, mark].filter(Boolean).join(' ')
    : [mark, year, name].filter(Boolean).join(' ')
}

function dayWords(date: CalendarDate, system: CalendarSystem, language: Language): string {
  const day = system.lunarDays ? lunarDay(date.day, language) : `${date.day}`
  return system.dayFirst && language === 'en'
    ? `${day} ${monthWords(date, system, language)}`
    : `${monthWords(date, system, language)} ${day}`
}

const halves = { en: { bright: 'thwa', dark: 'ga' }, ne: { bright: 'थ्व', dark: 'गा' } } as const

/** A lunar day by its half of the month: "thwa 3", "ga 5". */
const lunarDay = (day: number, language: Language) =>
  day <= 15 ? `${halves[language].bright} ${day}` : `${halves[language].dark} ${day - 15}`
