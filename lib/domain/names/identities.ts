import { gregorianDate, readInterval } from '../../engines/calendars/index.ts'
import type { Kind } from '../kinds/index.ts'
import { parseSameAs } from './same-as.ts'
import type { Values } from './values.ts'

/**
 * Returns the words that identify a record besides its names: its ids in other collections, and for a calendar its era. Two
 * records that share a word are about the same thing. Example: `wd:q37`, `era:78`.
 */
export const identitiesOf = (kind: Kind, data: Values): string[] => [
  ...new Set([...linkWords(data), ...(kind.key === 'calendar' ? eraWords(data) : [])].slice(0, MAX_IDENTITIES)),
]

const MAX_IDENTITIES = 4

/** The record's own `identifier` is used only if it names its collection, as in `wd:Q37`. Every collection has a "12". */
function linkWords(data: Values): string[] {
  const sameAs = Array.isArray(data.same_as) ? data.same_as : []
  return [data.identifier, ...sameAs]
    .filter((text) => typeof text === 'string')
    .map(identityWord)
    .filter((text) => /[:/]/.test(text))
}

/**
 * Turns a link into one word. All spellings of a link to a known collection give the same word. Other addresses lose
 * their scheme, `www.` and last slash.
 */
export function identityWord(text: string): string {
  const link = parseSameAs(text)
  if (link) return link.word
  return text
    .trim()
    .toLowerCase()
    .replace(/^https?:\/\/(?:www\.)?/, '')
    .replace(/\/$/, '')
    .slice(0, 200)
}

/**
 * Returns the Gregorian years from which a calendar may count, by its epoch and by its offset. Sources differ by a year
 * (year 0, New Year), so the next year is included. They give the offset with either sign.
 */
function eraWords(data: Values): string[] {
  const epoch = typeof data.epoch_date_gregorian === 'string' ? readInterval(data.epoch_date_gregorian) : undefined
  const years = [
    ...(epoch && Number.isFinite(epoch.from) ? [yearOf(epoch.from)] : []),
    ...(typeof data.year_offset_from_gregorian === 'number' ? [data.year_offset_from_gregorian] : []),
  ].map(Math.abs)
  return years.flatMap((year) => [`era:${year}`, `era:${year + 1}`])
}

const yearOf = (day: number) => gregorianDate(day).year
