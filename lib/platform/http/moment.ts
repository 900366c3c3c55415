import * as v from 'valibot'
import { clock } from '../../base/clock.ts'
import { documentAs } from './schema-notes.ts'

/** The query member `at`: a moment of the past, as a date or as a time of RFC 3339. */

const time = '(?:[01]\\d|2[0-3]):[0-5]\\d'
// A plus sign that was not escaped arrives as a blank.
const dateOrTime = new RegExp(
  `^(\\d{4}-\\d{2}-\\d{2})(?:[Tt](${time}:[0-5]\\d(?:\\.\\d+)?)(?:([Zz])|([+ -])(${time})))?$`,
)

/**
 * Returns the last millisecond of a moment, as ISO 8601 in UTC. For a past date this is the end of its day in UTC; for today it is now.
 * `malformed` for a text that is neither a date nor a time, and for a day that its month does not have. `future` for a moment after now.
 */
export function momentOf(text: string): { at: string } | 'malformed' | 'future' {
  const [, day = '', clockTime, , sign = '+', offset = '00:00'] = dateOrTime.exec(text) ?? []
  const midnight = Date.parse(`${day}T00:00:00Z`)
  if (Number.isNaN(midnight) || !new Date(midnight).toISOString().startsWith(day)) return 'malformed'
  const now = clock.now().getTime()
  if (clockTime === undefined) return midnight > now ? 'future' : { at: isoTime(Math.min(midnight + DAY_MS - 1, now)) }
  const exact = Date.parse(`${day}T${clockTime}${sign === '-' ? '-' : '+'}${offset}`)
  if (Number.isNaN(exact)) return 'malformed'
  return exact > now ? 'future' : { at: isoTime(exact) }
}

const DAY_MS = 86_400_000
const isoTime = (milliseconds: number) => new Date(milliseconds).toISOString()

/** What is wrong with a text that names no moment of the past. */
export const momentFaults = {
  malformed: 'Give a date such as 2026-01-31, or a time such as 2026-01-31T18:00:00Z.',
  future: 'This moment has not come yet.',
}

/** The moment that a query names, as ISO 8601 in UTC. Undefined if blank: the present. */
export const PastMoment = v.pipe(
  v.optional(v.string(), ''),
  v.trim(),
  v.rawTransform(({ dataset: { value }, addIssue, NEVER }) => {
    if (value === '') return undefined
    const moment = momentOf(value)
    if (typeof moment !== 'string') return moment.at
    addIssue({ message: momentFaults[moment] })
    return NEVER
  }),
  documentAs({
    anyOf: [
      { type: 'string', format: 'date' },
      { type: 'string', format: 'date-time' },
    ],
  }),
)

/** A moment as HTTP writes it, to the second. */
export const httpDate = (at: string): string => new Date(at).toUTCString()
