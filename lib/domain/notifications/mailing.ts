import * as v from 'valibot'

/** When someone who wants letters is to get the next one. It stands in the inbox, which every notification writes anyway. */

export const mailingModes = ['at_once', 'daily'] as const
export const Mailing = v.object({
  mode: v.picklist(mailingModes),
  /** At which hour of the day in which time zone the daily letter comes. */
  hour: v.number(),
  zone: v.string(),
  /** Whatever arrived up to this one was told in a letter, or needs none. */
  told: v.number(),
  /** When the next letter is due; null while there is nothing to tell. */
  due_at: v.nullable(v.string()),
  /** When the last one was begun. */
  last_at: v.string(),
  /** How often the one that is due was refused. */
  attempts: v.number(),
})
export type Mailing = v.InferOutput<typeof Mailing>

/** Letters to one person are so many milliseconds apart: what comes meanwhile goes into the next one. */
const APART = 300_000

/** The same after something has arrived: a letter is due. */
export const withDue = (it: Mailing, at: string): Mailing => ({ ...it, due_at: it.due_at ?? dueAt(it, at) })

function dueAt({ mode, hour, zone, last_at }: Mailing, at: string): string {
  if (mode === 'daily') return nextHour(at, hour, zone)
  const earliest = last_at === '' ? 0 : Date.parse(last_at) + APART
  return new Date(Math.max(Date.parse(at), earliest)).toISOString()
}

const QUARTER = 900_000
/** Two days: where clocks are put forward an hour may be missing from one. */
const MOST_QUARTERS = 192

/** When this hour begins next in a time zone. All zones are whole quarters of an hour apart. */
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

/** Whether there is such a time zone. */
export function isZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat('en-GB', { timeZone: zone })
    // An offset is no zone: it does not follow the clocks.
    return /^[A-Za-z]/.test(zone)
  } catch {
    return false
  }
}
