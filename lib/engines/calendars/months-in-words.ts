import { once } from '../../base/once.ts'
import { civilMonths, lunarMonthNames, type MonthName, monthMatcher, solarMonths } from './months.ts'
import { tidyText } from './reading.ts'

/**
 * For each calendar: the half month of the Gregorian year in which its first month begins, and how many half months a month may touch. Half
 * month 0 is the first half of January. A solar month begins in the middle of a Gregorian month, a lunar month up to two weeks later.
 */
const calendars: readonly { months: readonly MonthName[]; begins: number; touches: number }[] = [
  { months: civilMonths, begins: 0, touches: 2 },
  { months: solarMonths, begins: 7, touches: 2 },
  { months: lunarMonthNames, begins: 19, touches: 3 },
]
const HALVES = 24
type Span = { from: number; to: number }

const matchers = once(() => calendars.map((it) => ({ ...it, numberOf: monthMatcher(it.months).numberOf })))

/** The first and the last half month that a named month touches. A month that ends in the next year ends in half month 24 or later. */
function halvesOf(word: string): Span | undefined {
  for (const { numberOf, begins, touches } of matchers()) {
    const number = numberOf(word)
    if (number === 0) continue
    const from = (begins + 2 * (number - 1)) % HALVES
    return { from, to: from + touches - 1 }
  }
  return undefined
}

/** Words that may stand between and beside months. */
const joins: ReadonlySet<string> = new Set('and or to until month of in the र वा देखि सम्म महिना'.split(' '))

/**
 * Reads a text that names months of any calendar and nothing else, as half months of the Gregorian year. "Aug-Sep" gives 14 to 17, "Bhadra"
 * 15 and 16. "June to August" has July in it. Undefined for any other text.
 */
export function readMonths(text: string): ReadonlySet<number> | undefined {
  const tidy = tidyText(text)
  const months: Span[] = []
  for (const word of tidy.match(/[\p{L}\p{M}\d]+/gu) ?? []) {
    const month = joins.has(word) ? undefined : halvesOf(word)
    if (month) months.push(month)
    else if (!joins.has(word)) return undefined
  }
  const [first, last] = [months[0], months.at(-1)]
  if (!first || !last) return undefined
  const isRange = months.length === 2 && /-|\b(?:to|until)\b|देखि/.test(tidy)
  const spans = isRange ? [{ from: first.from, to: last.to < first.from ? last.to + HALVES : last.to }] : months
  return new Set(spans.flatMap(halvesIn))
}

const halvesIn = ({ from, to }: Span): number[] =>
  Array.from({ length: to - from + 1 }, (_, step) => (from + step) % HALVES)
