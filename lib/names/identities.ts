import { interval } from '../calendars/reading.ts'
import type { Kind } from '../kinds/index.ts'
import { sameAsIn } from './same-as.ts'
import type { Values } from './values.ts'

/**
 * What identifies a record besides its names, as words: the things of other collections that it is said to be, and for a calendar
 * the era from which it counts. Two records with a word in common are about one thing.
 */
export const identitiesOf = (kind: Kind, data: Values): string[] => [
  ...new Set([...links(data), ...(kind.key === 'calendar' ? eras(data) : [])].slice(0, MOST)),
]

const MOST = 4

/** Its own id counts where that names its collection ("wd:Q37"), since every collection has a "12". */
function links(data: Values): string[] {
  const named = Array.isArray(data.same_as) ? data.same_as : []
  return [data.identifier, ...named]
    .filter((text) => typeof text === 'string')
    .map(identity)
    .filter((text) => /[:/]/.test(text))
}

/** A link as one word, however it is written; of an address elsewhere scheme, www and a last slash say nothing. */
export function identity(text: string): string {
  const known = sameAsIn(text)
  if (known) return known.word
  return text
    .trim()
    .toLowerCase()
    .replace(/^https?:\/\/(?:www\.)?/, '')
    .replace(/\/$/, '')
    .slice(0, 200)
}

/**
 * The year of the common calendar from which a calendar counts, by its epoch and by its offset. Sources count the year 0 or not,
 * give the offset with either sign, and a year begins within another one, so that each year stands for the next as well.
 */
function eras(data: Values): string[] {
  const epoch = typeof data.epoch_date_gregorian === 'string' ? interval(data.epoch_date_gregorian) : undefined
  const years = [
    ...(epoch && Number.isFinite(epoch.from) ? [yearOf(epoch.from)] : []),
    ...(typeof data.year_offset_from_gregorian === 'number' ? [data.year_offset_from_gregorian] : []),
  ].map(Math.abs)
  return years.flatMap((year) => [`era:${year}`, `era:${year + 1}`])
}

const yearOf = (day: number) => new Date(day * 86_400_000).getUTCFullYear()
