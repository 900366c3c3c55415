/** What makes a contribution urgent: how long it waits, its flags, an open contradiction, and its weakest source. */
export const policy = {
  w_age: 2.5,
  w_flags: 1.5,
  w_conflict: 3,
  w_source: 1,
  s_max_days: 30,
  f_max_flags: 10,
  tier_rank_json: ['inscription', 'archival', 'published', 'field_survey', 'oral_history', 'web'],
} as const

/** The queues that an entry is in whatever the time. */
export const lastingQueueTypes = ['new_claims', 'conflicts', 'flagged'] as const
export type LastingQueueType = (typeof lastingQueueTypes)[number]
export const queueTypes = ['all', ...lastingQueueTypes, 'expiring'] as const
export type QueueType = (typeof queueTypes)[number]

export const DAY_MS = 86_400_000
export const EXPIRING_DAYS = 14
const FULL_AGE = policy.s_max_days * DAY_MS

/** The members of a record by which it is weighed. */
export type Weighed = {
  entity_id: string
  created_at: string
  open_flags: number
  open_contradictions: number
  worst_source_rank: number
}

/** The source of these that is trusted least; one that is no tier, or none at all, is trusted less than any tier. */
export function worstSource(types: readonly string[]): { worst_source_type: string | null; worst_source_rank: number } {
  const ranked = types.map((type) => ({ type, rank: rankOf(type) })).sort((a, b) => b.rank - a.rank)
  return { worst_source_type: ranked[0]?.type || null, worst_source_rank: ranked[0]?.rank ?? UNRANKED }
}

const tiers: readonly string[] = policy.tier_rank_json
const UNRANKED = tiers.length

function rankOf(type: string): number {
  const rank = tiers.indexOf(type)
  return rank < 0 ? UNRANKED : rank
}

/** The score and its parts at a moment. */
export function triage(it: Weighed, at: number) {
  const days = Math.max(0, at - Date.parse(it.created_at)) / DAY_MS
  const age_norm = Math.min(1, days / policy.s_max_days)
  const flags_norm = Math.min(1, it.open_flags / policy.f_max_flags)
  const conflict_boost = it.open_contradictions > 0 ? 1 : 0
  const source_penalty = it.worst_source_rank / UNRANKED
  const points = {
    age: 1000 * policy.w_age * age_norm,
    flags: 1000 * policy.w_flags * flags_norm,
    conflict: 1000 * policy.w_conflict * conflict_boost,
    source: 1000 * policy.w_source * source_penalty,
  }
  return {
    triage_priority: Math.round(points.age + points.flags + points.conflict + points.source),
    days_in_review: Math.floor(days),
    norms: { age_norm, flags_norm, conflict_boost, source_penalty },
    points,
  }
}

/**
 * The order of the queue at a moment, as text that sorts: most urgent first; of equals the one with more flags, then the
 * older one. Whole milliseconds: each part of the score but age is worth so much waiting.
 */
export const orderAt = (it: Weighed, at: number): string =>
  orderKey(Math.max(Date.parse(it.created_at), at - FULL_AGE) - leadOf(it), it)

/** The same order among those that still gain by waiting: time passes for all of them alike, so it never changes. */
export const youngOrder = (it: Weighed): string => orderKey(Date.parse(it.created_at) - leadOf(it), it)

/** The same order among those that have waited for so long that they gain no more: it never changes either. */
export const agedOrder = (it: Weighed): string => orderKey(FAR - leadOf(it), it)

/** Where a place in the order at a moment lies in the order of the aged, and the way back. */
export const toAged = (key: string, at: number): string => shifted(key, FAR - (at - FULL_AGE))
export const fromAged = (key: string, at: number): string => shifted(key, at - FULL_AGE - FAR)

/** The moment before which something was created that gains no more by waiting now. */
export const agedBefore = (at: number): number => at - FULL_AGE
/** The moment before which something was created that expires now. */
export const expiringBefore = (at: number): number => at - EXPIRING_DAYS * DAY_MS

export const ages = ['fresh', 'expiring', 'aged'] as const
export type Age = (typeof ages)[number]

/** How long something has waited, as the queue tells it. */
export function ageAt(created_at: string, at: number): Age {
  const created = Date.parse(created_at)
  if (created <= agedBefore(at)) return 'aged'
  return created <= expiringBefore(at) ? 'expiring' : 'fresh'
}

/** When something of this age passes into the next; undefined when there is none. */
export function passesAt(age: Age, created_at: string): string | undefined {
  const waits = { fresh: EXPIRING_DAYS * DAY_MS, expiring: FULL_AGE, aged: undefined }[age]
  return waits === undefined ? undefined : new Date(Date.parse(created_at) + waits).toISOString()
}

/** How much waiting, in milliseconds, the parts of the score that do not grow are worth. */
function leadOf(it: Weighed): number {
  const flags = policy.w_flags * Math.min(1, it.open_flags / policy.f_max_flags)
  const conflict = it.open_contradictions > 0 ? policy.w_conflict : 0
  const source = policy.w_source * (it.worst_source_rank / UNRANKED)
  return Math.round(((flags + conflict + source) / policy.w_age) * FULL_AGE)
}

/** Beyond every time that we shall see, so that no number turns negative. */
const FAR = 10_000_000_000_000
const MOST_FLAGS = 9999

function orderKey(number: number, it: Weighed): string {
  const flags = MOST_FLAGS - Math.min(it.open_flags, MOST_FLAGS)
  return `${padded(number, 15)}#${padded(flags, 4)}#${it.created_at}#${it.entity_id}`
}

const shifted = (key: string, by: number) => padded(Number(key.slice(0, 15)) + by, 15) + key.slice(15)
const padded = (number: number, width: number) => String(number).padStart(width, '0')
