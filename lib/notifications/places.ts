import * as v from 'valibot'
import { minus, type Sizes, sumOf } from './sizes.ts'

/** Pure: where something stands in the announcements, which are numbered from 1 in the order of their ids, and what lies between two places. */

export const Place = v.object({
  /** Behind so many announcements; of each type behind so many. */
  n: v.number(),
  by: v.record(v.string(), v.number()),
  /** Whatever was announced after it has this id or a later one. */
  at: v.string(),
})
export type Place = v.InferOutput<typeof Place>

/** A time in which someone reviewed: what was announced in it is for them. */
export const Span = v.object({
  from: Place,
  /** Null while it lasts. */
  to: v.nullable(Place),
  /** When it began, ISO 8601, and how many were announced when that was noted: of these only what has happened since is for them. */
  since: v.string(),
  noted: v.number(),
})
export type Span = v.InferOutput<typeof Span>

/** What an inbox knows of announcements; of who reviews or has reviewed. */
export const Announced = v.object({
  spans: v.array(Span),
  /** Whatever was announced up to this is read. */
  read_through: Place,
  /** Of what was announced after that: how many are read one by one, or withheld. */
  passed: v.record(v.string(), v.number()),
  /** How many were ever withheld. */
  withheld: v.record(v.string(), v.number()),
  /** Whatever was announced up to this number was told in a letter, or needs none. */
  told: v.number(),
})
export type Announced = v.InferOutput<typeof Announced>

/** An announcement, as far as it says where it stands: behind itself. */
export type Standing = { n: number; by: Sizes; notification_id: string; notification_type: string }

/** The place before an announcement. */
export const before = ({ n, by, notification_id, notification_type }: Standing): Place => ({
  n: n - 1,
  by: minus(by, { [notification_type]: 1 }),
  at: notification_id,
})

export const later = (a: Place, b: Place): Place => (a.n >= b.n ? a : b)

/** What was announced between two places, by type. */
const between = (from: Place, to: Place): Sizes => (from.n < to.n ? minus(to.by, from.by) : {})

/** What was announced to someone behind a place, withheld or not, by type. */
export const announcedTo = ({ spans }: Announced, behind: Place, end: Place): Sizes =>
  sumOf(spans.map(({ from, to }) => between(later(from, behind), to ?? end)))

type Announcement = { n: number; happened_at: string; not_for: readonly string[] }

/** Whether an announcement is for someone. */
export function isFor(user_id: string, { spans }: Pick<Announced, 'spans'>, it: Announcement): boolean {
  const span = spans.find(({ from, to }) => it.n > from.n && (to === null || it.n <= to.n))
  return span !== undefined && !isWithheld(user_id, span, it)
}

/** Of what was announced while someone reviewed: whether it comes of them, or of a time before they did. */
export const isWithheld = (user_id: string, { noted, since }: Span, it: Announcement): boolean =>
  it.not_for.includes(user_id) || (it.n <= noted && it.happened_at < since)

/** Whether someone reviews at present, as far as their inbox knows. */
export const isReviewing = (it: Pick<Announced, 'spans'> | undefined): boolean => it?.spans.at(-1)?.to === null
