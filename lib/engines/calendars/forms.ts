import { once } from '../../base/once.ts'
import type { CalendarKey } from './keys.ts'
import { civilMonths, lunarMonthNames, type MonthName, monthMatcher, solarMonths } from './months.ts'
import { type Bounds, type Fault, isFault, systems } from './systems.ts'

/** The forms in which writers put a date of one calendar, without marks of doubt and without the name of the calendar. */

/** A stretch of time in whole days since 1970-01-01, both ends included; an open end is infinite. */
export type Interval = Bounds & { approximate: boolean }
export type FormResult = Interval | Fault | undefined

/** Reads a text by the first form that gives a date. If none does, the first fault. */
export function readInForms(forms: readonly Form[], text: string): FormResult {
  let fault: Fault | undefined
  for (const [pattern, read] of forms) {
    const groups = pattern.exec(text)?.groups
    const found = groups && read(groups)
    if (found && !isFault(found)) return found
    fault ??= found
  }
  return fault
}

type Parts = Readonly<Record<string, string | undefined>>
export type Form = readonly [RegExp, (parts: Parts) => FormResult]

const form = (source: string, read: Form[1]): Form => [new RegExp(`^${source}$`, 'u'), read]

const era =
  '(?: ?(?<era>bce?|b\\. ?c\\.(?: ?e\\.)?|ce|c\\. ?e\\.|ad|a\\. ?d\\.|(?:ई|इ)(?:\\.? ?सं?\\.?|स्वी(?: संवत्?)?)?))'
const eraBefore =
  '(?<era>bce?|b\\. ?c\\.(?: ?e\\.)?|ce|c\\. ?e\\.|ad|a\\. ?d\\.|(?:ई|इ)\\.? ?सं\\.?|ईस्वी(?: संवत्?)?|सन्) ?'
const nth = '(?:st|nd|rd|th)?'
const gate = '(?: ?(?:gatey?|गते))?'
const within = '(?:(?<within>early|mid|middle|late|first half(?: of)?|second half(?: of)?)[ -])?(?:the )?'
const century = `${within}(?<number>\\d{1,2})${nth} ?(?:century|cent\\.)`
const clock = '(?:t[\\d:.]+(?:z|[+-]\\d\\d:?\\d\\d)?)?'

/** Forms of the Gregorian and of the Julian calendar, whose years may be before Christ. */
function civilForms(key: CalendarKey): readonly Form[] {
  const { month, day } = datesOf(key, civilMonths)
  const years = yearsOf(key)
  const named = `(?<name>${monthMatcher(civilMonths).pattern})`
  return [
    // Systems that know only timestamps write a bare year as its first midnight. So this one claims no more than the
    // year.
    form('(?<year>-?\\d{4})-01-01t00:00(?::00(?:\\.0+)?)?(?:z|[+-]00:?00)?', (p) => years(yearOf(p))),
    form(`(?<year>-?\\d{4,6})-(?<month>\\d\\d)-(?<day>\\d\\d)${clock}`, day),
    form('(?<year>-?\\d{4})-(?<season>2[1-4])', (p) => readSeason(key, p)),
    form('(?<year>-?\\d{4})-(?<month>\\d\\d)(?:-xx)?', month),
    form('(?<year>-?\\d{4})-xx(?:-xx)?', (p) => years(yearOf(p))),
    form('(?<sign>-?)(?<digits>\\d{1,3})(?<open>x{1,3})', (p) => readMasked(years, p)),
    form('-(?<year>\\d{4,6})', (p) => years(-yearOf(p))),
    form('y(?<year>-\\d{4,}|\\d{5,})', (p) => years(yearOf(p)) ?? outside),
    form('(?<year>\\d{3,4})', (p) => years(yearOf(p))),
    form(`(?<year>\\d{1,4})${era}`, (p) => years(yearOf(p))),
    form(`${eraBefore}(?<year>\\d{1,4})`, (p) => years(yearOf(p))),
    form(`(?<year>\\d{1,3}0)'?s${era}?`, (p) => decade(years, p)),
    form(`${century}${era}?`, (p) => centuryOf(years, p)),
    form(`(?<day>\\d{1,2})${nth}${gate} (?:of )?${named},? (?<year>\\d{3,4})${era}?`, day),
    form(`${named} (?<day>\\d{1,2})${nth}${gate},? (?<year>\\d{3,4})${era}?`, day),
    form(`(?:${eraBefore})?(?<year>\\d{3,4}) ${named} (?<day>\\d{1,2})${gate}`, day),
    form(`${named},? (?<year>\\d{3,4})${era}?`, month),
    form(`(?:${eraBefore})?(?<year>\\d{3,4}) ${named}`, month),
  ]
}

/** Forms in numbers, of a calendar of Nepal. Other words have said that it is meant. */
function numberForms(key: CalendarKey): readonly Form[] {
  const { month, day } = datesOf(key, [])
  const years = yearsOf(key)
  return [
    form('(?<year>\\d{1,4})', (p) => years(yearOf(p))),
    form(`(?<year>\\d{1,4})([-./])(?<month>\\d\\d?)\\2(?<day>\\d\\d?)${gate}`, day),
    form('(?<year>\\d{1,4})[-.](?<month>\\d\\d?)', month),
    form('(?<digits>\\d{1,3})(?<open>x{1,3})', (p) => readMasked(years, p)),
    form("(?<year>\\d{1,3}0)'?s", (p) => decade(years, p)),
    form(century, (p) => centuryOf(years, p)),
  ]
}

/** Forms in which the month has a name. */
function namedForms(key: CalendarKey, months: readonly MonthName[]): readonly Form[] {
  const { month, day } = datesOf(key, months)
  const named = `(?<name>${monthMatcher(months).pattern})`
  return [
    form(`(?<day>\\d{1,2})${nth}${gate},? (?:of )?${named},? (?<year>\\d{3,4})`, day),
    form(`${named} (?<day>\\d{1,2})${nth}${gate},? (?<year>\\d{3,4})`, day),
    form(`(?<year>\\d{3,4})(?: ?साल)?,? ${named},? (?<day>\\d{1,2})${nth}${gate}`, day),
    form(`${named},? (?<year>\\d{3,4})`, month),
    form(`(?<year>\\d{3,4})(?: ?साल)?,? ${named}`, month),
  ]
}

const half =
  '(?:(?<bright>thwa|thva|sudi|shudi|s(?:h)?ukla(?: paksha)?|थ्व|सुदि|सुदी|शुदि|शुक्ल(?: ?पक्ष)?)|(?<dark>ga|gah|badi|vadi|krishna(?: paksha)?|bahula|गा|गाः|वदि|बदि|वदी|बदी|कृष्ण(?: ?पक्ष)?))'

/** Forms that name a half of a lunar month, and a day of it. */
function lunarForms(months: readonly MonthName[], read: (p: Parts, month: number) => FormResult): readonly Form[] {
  const { pattern, numberOf } = monthMatcher(months)
  const named = `(?<leap>(?:adhika?|leap|अधिक) )?(?<name>${pattern})`
  const lunar = (p: Parts) => read(p, numberOf(p.name ?? ''))
  return [
    form(`(?<year>\\d{1,4}),? ${named} ?${half} ?(?<day>\\d{1,2})`, lunar),
    form(`${named} ?${half} ?(?<day>\\d{1,2}),? (?<year>\\d{3,4})`, lunar),
  ]
}

const DARK = 15

/** A lunar day of Nepal Sambat, whose months begin with the bright half. */
function nepalLunar(p: Parts, month: number): FormResult {
  const day = dayOfHalf(p)
  return typeof day === 'object'
    ? day
    : readInYears('nepal_sambat', Number(p.year), (it) =>
        it.day({ year: Number(p.year), month, day, ...(p.leap && { leap_month: true }) }),
      )
}

/**
 * A lunar day of Bikram Sambat, as letters and inscriptions give it. Years begin in spring with the bright half of
 * Chaitra. A month begins with its dark half (purnimanta), which other lunar calendars count to the month before.
 */
function bikramLunar(p: Parts, named: number): FormResult {
  const day = dayOfHalf(p)
  if (typeof day === 'object') return day
  const month = p.dark === undefined ? named : ((named + 10) % 12) + 1
  const isAutumn = month >= KARTIK && month <= FALGUN
  const date = { year: Number(p.year) - (isAutumn ? 936 : 937), month: ((month + 5) % 12) + 1, day }
  return readInYears('nepal_sambat', date.year, (it) => it.day({ ...date, ...(p.leap && { leap_month: true }) }))
}
const [KARTIK, FALGUN] = [7, 11]

function dayOfHalf({ day, dark }: Parts): number | Fault {
  const number = Number(day)
  if (number < 1 || number > 15) return { fault: `There is no lunar day ${number}: a half month has 15.` }
  return dark === undefined ? number : number + DARK
}

const bikramNames = once(() => [...namedForms('bikram_sambat', solarMonths), ...lunarForms(solarMonths, bikramLunar)])
const nepalNames = once(() => [
  ...lunarForms(lunarMonthNames, nepalLunar),
  ...namedForms('nepal_sambat', lunarMonthNames),
])

/** The forms of each calendar, for texts that say which one is meant. */
export const formsIn: Readonly<Record<CalendarKey, () => readonly Form[]>> = {
  gregorian: once(() => civilForms('gregorian')),
  julian: once(() => civilForms('julian')),
  bikram_sambat: once(() => [...numberForms('bikram_sambat'), ...bikramNames()]),
  nepal_sambat: once(() => [...numberForms('nepal_sambat'), ...nepalNames()]),
  shaka: once(() => numberForms('shaka').filter((_, at) => at !== 1 && at !== 2)),
}

/** For texts that do not say it: here the name of a month does. */
export const impliedForms: readonly (readonly [CalendarKey, () => readonly Form[]])[] = [
  ['gregorian', formsIn.gregorian],
  ['bikram_sambat', bikramNames],
  ['nepal_sambat', nepalNames],
]

/** The year as astronomers count: 1 BCE is 0, 57 BCE is -56, which is how EDTF writes them too. */
function yearOf(parts: Parts): number {
  const year = Number(parts.year)
  return parts.era?.startsWith('b') ? 1 - year : year
}

/** What a calendar makes of a date; undefined if it has no such year. */
function readInYears(
  key: CalendarKey,
  year: number,
  read: (system: (typeof systems)[CalendarKey]) => Bounds | Fault,
): FormResult {
  const system = systems[key]
  if (year < system.years.from || year > system.years.to) return undefined
  const found = read(system)
  return isFault(found) ? found : { ...found, approximate: false }
}

function datesOf(key: CalendarKey, months: readonly MonthName[]) {
  const { numberOf } = monthMatcher(months)
  const monthOf = (p: Parts) => (p.month === undefined ? numberOf(p.name ?? '') : Number(p.month))
  return {
    month: (p: Parts) => readInYears(key, yearOf(p), (it) => it.month(yearOf(p), monthOf(p))),
    day: (p: Parts) =>
      readInYears(key, yearOf(p), (it) => it.day({ year: yearOf(p), month: monthOf(p), day: Number(p.day) })),
  }
}

/**
 * A season of EDTF: `21` is spring, `24` is winter. Writers of a place may begin seasons elsewhere in the year, so these are about:
 * spring is March to May, winter December to February.
 *
 * `1920-22` is a summer in EDTF and three years in prose. A span of less than ten years is read as that: it holds the season, too.
 */
function readSeason(key: CalendarKey, parts: Parts): FormResult {
  const [year, season] = [Number(parts.year), Number(parts.season)]
  const span = season - (year % 100)
  if (span > 0 && span < 10) return undefined
  const first = 3 * (season - SPRING) + 3
  const [from, to] = [first, first + 2].map((month) =>
    readInYears(key, year, (it) => (month > 12 ? it.month(year + 1, month - 12) : it.month(year, month))),
  )
  return from && to && !isFault(from) && !isFault(to) ? { from: from.from, to: to.to, approximate: true } : undefined
}
const SPRING = 21

const outside: Fault = { fault: 'Years before -200000 and after 200000 cannot be kept.' }

type Years = (first: number, last?: number) => Interval | undefined

/** Whole years of a calendar; undefined if it does not have them. */
function yearsOf(key: CalendarKey): Years {
  const { years, year } = systems[key]
  return (first, last = first) =>
    first < years.from || last > years.to
      ? undefined
      : { from: year(first).from, to: year(last).to, approximate: false }
}

function readMasked(years: Years, parts: Parts): FormResult {
  const [digits, open] = [parts.digits ?? '', parts.open ?? '']
  if (digits.length + open.length !== 4) return undefined
  const [low, high] = [Number(digits + open.replaceAll('x', '0')), Number(digits + open.replaceAll('x', '9'))]
  return parts.sign === '-' ? years(-high, -low) : years(low, high)
}

/** "1600s" is the century, "1690s" the decade. */
function decade(years: Years, parts: Parts): FormResult {
  const span = Number(parts.year) % 100 === 0 ? 99 : 9
  const first = Number(parts.year)
  return parts.era?.startsWith('b') ? years(1 - first - span, 1 - first) : years(first, first + span)
}

/** Which years of a hundred the words mean; they overlap because writers do not agree where "early" ends. */
const shares: Readonly<Record<string, readonly [number, number]>> = {
  early: [0, 39],
  mid: [30, 69],
  middle: [30, 69],
  late: [60, 99],
  first: [0, 49],
  second: [50, 99],
}

function centuryOf(years: Years, parts: Parts): FormResult {
  const number = Number(parts.number)
  if (number < 1) return undefined
  const first = parts.era?.startsWith('b') ? 1 - number * 100 : number * 100 - 99
  const share = shares[parts.within?.split(' ')[0] ?? '']
  const found = share ? years(first + share[0], first + share[1]) : years(first, first + 99)
  return found && { ...found, approximate: share !== undefined }
}
