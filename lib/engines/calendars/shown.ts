import { inDevanagari } from '../../base/language/digits.ts'
import type { Language } from '../../base/language/languages.ts'
import type { CalendarDate } from './days.ts'
import type { Interval } from './forms.ts'
import type { CalendarKey } from './keys.ts'
import { type Bounds, isFault, type System, systems } from './systems.ts'

/** How dates look in a calendar. */

/** A date in one calendar: its first and last day in numbers, and words for a reader. An open end is null. */
export type ShownDate = {
  calendar: CalendarKey
  from: string | null
  to: string | null
  approximate: boolean
  text: string
}

/** A stretch of days as a calendar names it. Shaka is counted by years, so its numbers are years. */
export function showDate(found: Interval, calendar: CalendarKey, language: Language = 'en'): ShownDate {
  const system = systems[calendar]
  const number = (day: number) => (Number.isFinite(day) ? dateNumbers(system, day) : null)
  return {
    calendar,
    from: number(found.from),
    to: number(found.to),
    approximate: found.approximate,
    text: inWords(found, system, language),
  }
}

/**
 * `2031-04-05`. An L behind the month: it is intercalary. An L behind the day: it is the second day of one lunar day.
 */
function dateNumbers(system: System, day: number): string {
  const date = system.of?.(day)
  if (!date) return yearNumber(system.yearOf(day))
  const [month, of] = [`${date.month}`.padStart(2, '0'), `${date.day}`.padStart(2, '0')]
  return `${yearNumber(date.year)}-${month}${date.leap_month ? 'L' : ''}-${of}${date.leap_day ? 'L' : ''}`
}

/** As ISO 8601 writes years: four digits at least, and a minus before those of them that were before the year 0. */
const yearNumber = (year: number) => `${year < 0 ? '-' : ''}${`${Math.abs(year)}`.padStart(4, '0')}`

const words = {
  en: { about: 'c. ', before: (text: string) => `until ${text}`, since: (text: string) => `since ${text}`, bce: 'BCE' },
  ne: { about: 'करिब ', before: (text: string) => `${text} सम्म`, since: (text: string) => `${text} देखि`, bce: 'ई.पू.' },
} as const

function inWords(found: Interval, system: System, language: Language): string {
  const { about, before, since } = words[language]
  const { from, to } = found
  const [open, close] = [Number.isFinite(from), Number.isFinite(to)]
  const end = (day: number) => wordsFor({ from: day, to: day }, system, language)
  const text =
    open && close ? wordsFor({ from, to }, system, language) : open ? since(end(from)) : close ? before(end(to)) : ''
  const whole = found.approximate ? `${about}${text}` : text
  return language === 'ne' ? inDevanagari(whole) : whole
}

/** Longer stretches are shown by their years: nobody reads the day on which a century of another calendar begins. */
const MOST_DAYS = 62

function wordsFor({ from, to }: Bounds, system: System, language: Language): string {
  const years = [system.yearOf(from), system.yearOf(to)] as const
  if (!system.of || to - from > MOST_DAYS) return inYears(years, system, language)
  const [first, last] = [system.of(from), system.of(to)]
  if (isWholeMonth({ from, to }, first, system)) return monthWords(first, system, language)
  const begin = dayWords(first, system, language)
  return from === to ? begin : `${begin} – ${dayWords(last, system, language)}`
}

function isWholeMonth(days: Bounds, { year, month, leap_month }: CalendarDate, system: System): boolean {
  const whole = system.month(year, month, leap_month ?? false)
  return !isFault(whole) && whole.from === days.from && whole.to === days.to
}

function inYears([first, last]: readonly [number, number], system: System, language: Language): string {
  const years =
    first === last ? yearWords(first, language) : `${yearWords(first, language)}/${yearWords(last, language)}`
  return [system.mark[language], years].filter(Boolean).join(' ')
}

const yearWords = (year: number, language: Language) => (year > 0 ? `${year}` : `${1 - year} ${words[language].bce}`)

const leapWord = { en: 'intercalary ', ne: 'अधिक ' } as const

const monthName = ({ month, leap_month }: CalendarDate, { months }: System, language: Language) =>
  `${leap_month ? leapWord[language] : ''}${months[month - 1]?.[language] ?? month}`

function monthWords(date: CalendarDate, system: System, language: Language): string {
  const [name, year] = [monthName(date, system, language), yearWords(date.year, language)]
  const { [language]: mark } = system.mark
  return isCivil(system) && language === 'en'
    ? [name, year, mark].filter(Boolean).join(' ')
    : [mark, year, name].filter(Boolean).join(' ')
}

function dayWords(date: CalendarDate, system: System, language: Language): string {
  const day = isLunar(system) ? lunarDay(date.day, language) : `${date.day}`
  return isCivil(system) && language === 'en'
    ? `${day} ${monthWords(date, system, language)}`
    : `${monthWords(date, system, language)} ${day}`
}

const isCivil = (system: System) => system === systems.gregorian || system === systems.julian
const isLunar = (system: System) => system === systems.nepal_sambat

const halves = { en: { bright: 'thwa', dark: 'ga' }, ne: { bright: 'थ्व', dark: 'गा' } } as const

/** A lunar day by its half of the month. */
const lunarDay = (day: number, language: Language) =>
  day <= 15 ? `${halves[language].bright} ${day}` : `${halves[language].dark} ${day - 15}`
