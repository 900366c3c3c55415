import * as v from 'valibot'
import { clock } from '../../base/clock.ts'
import { documentAs } from './known.ts'

/** A moment of the past that a query names: a date, or a time as RFC 3339 writes it. */

const time = '(?:[01]\\d|2[0-3]):[0-5]\\d'
// A plus sign that was not escaped arrives as a blank.
const written = new RegExp(`^(\\d{4}-\\d{2}-\\d{2})(?:[Tt](${time}:[0-5]\\d(?:\\.\\d+)?)(?:([Zz])|([+ -])(${time})))?$`)

/**
 * The last millisecond that is meant, as ISO 8601 in UTC. A date means until its end in UTC, and today until now.
 * `malformed` of what is neither a date nor a time, and of days that no month has; `future` of what has not come yet.
 */
export function momentOf(text: string): { at: string } | 'malformed' | 'future' {
  const [, day = '', clockTime, , sign = '+', offset = '00:00'] = written.exec(text) ?? []
  const midnight = Date.parse(`${day}T00:00:00Z`)
  if (Number.isNaN(midnight) || !new Date(midnight).toISOString().startsWith(day)) return 'malformed'
  const now = clock.now().getTime()
  if (clockTime === undefined) return midnight > now ? 'future' : until(Math.min(midnight + DAY - 1, now))
  const exact = Date.parse(`${day}T${clockTime}${sign === '-' ? '-' : '+'}${offset}`)
  if (Number.isNaN(exact)) return 'malformed'
  return exact > now ? 'future' : until(exact)
}

const DAY = 86_400_000
const until = (milliseconds: number) => ({ at: new Date(milliseconds).toISOString() })

const faults = {
  malformed: 'Give a date such as 2026-01-31, or a time such as 2026-01-31T18:00:00Z.',
  future: 'This moment has not come yet.',
}

/** The moment at which something is asked for, as ISO 8601 in UTC; absent when blank, which is the present. */
export const PastMoment = documentAs(
  v.pipe(
    v.optional(v.string(), ''),
    v.trim(),
    v.rawTransform(({ dataset: { value }, addIssue, NEVER }) => {
      if (value === '') return undefined
      const found = momentOf(value)
      if (typeof found !== 'string') return found.at
      addIssue({ message: faults[found] })
      return NEVER
    }),
  ),
  {
    anyOf: [
      { type: 'string', format: 'date' },
      { type: 'string', format: 'date-time' },
    ],
  },
)
