import * as v from 'valibot'

/** The time of a person's next letter. It is stored in the inbox, which every notification writes anyway. */

export const mailingModes = ['at_once', 'daily'] as const
export const Mailing = v.object({
  mode: v.picklist(mailingModes),
  /** The hour of the day of the daily letter, in the time zone `zone`. */
  hour: v.number(),
  zone: v.string(),
  /** Notifications up to this ordinal were in a letter, or need none. */
  told: v.number(),
  /** When the next letter is due. Null while nothing is new. */
  due_at: v.nullable(v.string()),
  /** When the last letter was begun. Empty if there was none. */
  last_at: v.string(),
  /** Failed attempts of the letter that is due. */
  attempts: v.number(),
})
export type Mailing = v.InferOutput<typeof Mailing>

/** The least milliseconds between two letters of a person who wants them at once. Messages that arrive meanwhile share one. */
const LEAST_PAUSE_MS = 300_000

/** The mailing after a message has arrived: a letter is due. */
export const withDue = (it: Mailing, at: string): Mailing => ({ ...it, due_at: it.due_at ?? dueAt(it, at) })

function dueAt({ mode, hour, zone, last_at }: Mailing, at: string): string {
  if (mode === 'daily') return nextHour(at, hour, zone)
  const earliest = last_at === '' ? 0 : Date.parse(last_at) + LEAST_PAUSE_MS
  return new Date(Math.max(Date.parse(at), earliest)).toISOString()
}

const QUARTER = 900_000
/** Two days: if clocks are put forward, an hour may be missing from a day. */
const MOST_QUARTERS = 192

/** The next time at which this hour begins in a time zone. Zones are whole quarters of an hour apart. */
export function nextHour(at: string, hour: number, zone: string): string {
  const clock = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  })
  const wanted = `${String(hour).padStart(2, '0')}:00`
  const first = (Math.floor(Date.parse(at) / QUARTER) + 1) * QUARTER
  for (let i = 0; i < MOST_QUARTERS; i += 1) {
    const then = first + i * QUARTER
    if (clock.format(then) === wanted) return new Date(then).toISOString()
  }
  return new Date(first + 96 * QUARTER).toISOString()
}

/** Whether a time zone of this name exists. */
export function isZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat('en-GB', { timeZone: zone })
    // An offset such as +05:45 is refused: it does not follow summer time.
    return /^[A-Za-z]/.test(zone)
  } catch {
    return false
  }
}
