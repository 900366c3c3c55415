import { once } from '../../base/once.ts'
import { gregorianDay } from './days.ts'
import { type Interval, readInterval } from './reading.ts'

/**
 * Periods of Nepal's history. `from` and `to` are approximate years CE. `words` and `ne` are other names in English and
 * Nepali.
 */
export const reigns: Readonly<Record<string, { words: string; ne: string; from: number; to: number }>> = {
  Kirant: { words: 'kirat, kirata, kirati, kirant period', ne: 'किराँत, किरात, किराँती', from: -800, to: 300 },
  Lichhavi: {
    words: 'licchavi, lichchhavi, lichavi, lichchavi, lichhavi period, lichhavi era',
    ne: 'लिच्छवि, लिच्छवी',
    from: 400,
    to: 750,
  },
  Thakuri: { words: 'thakuri period', ne: 'ठकुरी', from: 750, to: 1200 },
  Malla: { words: 'malla period, malla dynasty, malla era', ne: 'मल्ल', from: 1200, to: 1768 },
  Shah: { words: 'shah period, shah dynasty', ne: 'शाह', from: 1768, to: 2008 },
  Rana: { words: 'rana period, rana regime, ranas', ne: 'राणा', from: 1846, to: 1951 },
}

const periodByName = once(
  () =>
    new Map(
      Object.entries(reigns).flatMap(([label, { words, ne, from, to }]) =>
        namesOf(label, { words, ne }).map((name): [string, Interval] => [
          periodName(name),
          { from: gregorianDay(from, 1, 1), to: gregorianDay(to, 12, 31), approximate: true },
        ]),
      ),
    ),
)

/** Reduces words to the name of a period: "in the Malla period (north wing)" to "malla", "मल्लकालमा" to "मल्ल". */
function periodName(words: string): string {
  return words
    .normalize('NFC')
    .toLowerCase()
    .replace(/\([^)]*\)/g, ' ')
    .replace(/^\s*(?:(?:in|during|from|of|c\.|circa) +)?(?:the +)?/, '')
    .replace(/ *(?:period|era|dynasty|regime|rule|times|age)\s*$/, '')
    .replace(/ *(?:शासन)?(?:काल(?:मा|को|ीन)?|वंश|युग)\s*$/, '')
    .trim()
}

/** Finds the days of a period of this table by its name. Undefined for other words. */
export const findPeriod = (words: string): Interval | undefined =>
  words.length > LONGEST_NAME ? undefined : periodByName().get(periodName(words))
const LONGEST_NAME = 100

/** All names of a period, in English and Nepali, for any one of them. Empty for other words. Example: "मल्लकाल" gives "malla period". */
export function periodNames(words: string): readonly string[] {
  if (words.length > LONGEST_NAME) return []
  const name = periodName(words)
  const [label, reign] =
    Object.entries(reigns).find(([key, it]) => namesOf(key, it).map(periodName).includes(name)) ?? []
  return label && reign ? namesOf(label, reign).flatMap((it) => [it, ...usualEndings(it)]) : []
}

const namesOf = (label: string, { words, ne }: { words: string; ne: string }) =>
  [label, ...words.split(','), ...ne.split(',')].map((name) => name.trim())

const usualEndings = (name: string) =>
  /[\u0900-\u097f]/.test(name) ? [`${name}काल`, `${name} काल`] : [`${name} period`]

/** Reads words as a date, else as a period of this table. Undefined if they are neither. */
export const readBounds = (words: string, calendar: unknown): Interval | undefined =>
  readInterval(words, calendar) ?? findPeriod(words)
