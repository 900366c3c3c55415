/** The weights of urgency: waiting time, flags, an open contradiction, and the least trusted source. */
export const policy = {
  w_age: 2.5,
  w_flags: 1.5,
  w_conflict: 3,
  w_source: 1,
  s_max_days: 30,
  f_max_flags: 10,
  tier_rank_json: ['inscription', 'archival', 'published', 'field_survey', 'oral_history', 'web'],
} as const

/** Queues that a record enters and leaves only by a write. The queue `expiring` also changes with time. */
export const lastingQueueTypes = ['new_claims', 'conflicts', 'flagged'] as const
export type LastingQueueType = (typeof lastingQueueTypes)[number]
export const queueTypes = ['all', ...lastingQueueTypes, 'expiring'] as const
export type QueueType = (typeof queueTypes)[number]

export const DAY_MS = 86_400_000
export const EXPIRING_DAYS = 14
const FULL_AGE = policy.s_max_days * DAY_MS

export type TriageSubject = {
  entity_id: string
  created_at: string
  open_flags: number
  open_contradictions: number
  worst_source_rank: number
}

/**
 * Returns the least trusted of these source types, with its rank. A missing type, or one that `policy` does not name (`book`), ranks below
 * `web`.
 */
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

/** Computes the score and its parts at moment `at`, in milliseconds. */
export function computeTriage(subject: TriageSubject, at: number) {
  const days = Math.max(0, at - Date.parse(subject.created_at)) / DAY_MS
  const age_norm = Math.min(1, days / policy.s_max_days)
  const flags_norm = Math.min(1, subject.open_flags / policy.f_max_flags)
  const conflict_boost = subject.open_contradictions > 0 ? 1 : 0
  const source_penalty = subject.worst_source_rank / UNRANKED
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
 * Returns a sort key for the queue at moment `at`: the most urgent first, then more flags, then the older one. The score is turned
 * into a time: each part except age is worth some milliseconds of waiting (`leadOf`).
 */
export const orderAt = (it: TriageSubject, at: number): string =>
  orderKey(Math.max(Date.parse(it.created_at), at - FULL_AGE) - leadOf(it), it)

/** Returns the sort key among records that have waited less than 30 days. All of them age alike, so the key never changes. */
export const youngOrder = (it: TriageSubject): string => orderKey(Date.parse(it.created_at) - leadOf(it), it)

/** Returns the sort key among records that have waited 30 days or more. Their age adds no more to the score, so the key never changes. */
export const agedOrder = (it: TriageSubject): string => orderKey(FAR - leadOf(it), it)

/** Turns a key of `orderAt` into a key of `agedOrder`. */
export const toAged = (key: string, at: number): string => shiftKey(key, FAR - (at - FULL_AGE))
/** Turns a key of `agedOrder` into a key of `orderAt`. */
export const fromAged = (key: string, at: number): string => shiftKey(key, at - FULL_AGE - FAR)

/** The latest creation time of a record that has waited for 30 days at `at`. Records created then or earlier are `aged`. */
export const agedBefore = (at: number): number => at - FULL_AGE
/**
 * The latest creation time of a record that has waited for 14 days at `at`. Records created then or earlier are `expiring`
 * or `aged`.
 */
export const expiringBefore = (at: number): number => at - EXPIRING_DAYS * DAY_MS

export const ages = ['fresh', 'expiring', 'aged'] as const
export type Age = (typeof ages)[number]

/** Returns the age class of a record at moment `at`. */
export function ageAt(created_at: string, at: number): Age {
  const created = Date.parse(created_at)
  if (created <= agedBefore(at)) return 'aged'
  return created <= expiringBefore(at) ? 'expiring' : 'fresh'
}

/** Returns the time at which a record passes to the next age class. Undefined for the last class. */
export function passesAt(age: Age, created_at: string): string | undefined {
  const wait = { fresh: EXPIRING_DAYS * DAY_MS, expiring: FULL_AGE, aged: undefined }[age]
  return wait === undefined ? undefined : new Date(Date.parse(created_at) + wait).toISOString()
}

/** Returns flags, contradiction and source as milliseconds of waiting that have the same weight. */
function leadOf(it: TriageSubject): number {
  const flags = policy.w_flags * Math.min(1, it.open_flags / policy.f_max_flags)
  const conflict = it.open_contradictions > 0 ? policy.w_conflict : 0
  const source = policy.w_source * (it.worst_source_rank / UNRANKED)
  return Math.round(((flags + conflict + source) / policy.w_age) * FULL_AGE)
}

/** A moment in the year 2286, in milliseconds. Counted from it, no number in a key is negative. */
const FAR = 10_000_000_000_000
const MOST_FLAGS = 9999

function orderKey(number: number, it: TriageSubject): string {
  const flags = MOST_FLAGS - Math.min(it.open_flags, MOST_FLAGS)
  return `${padNumber(number, 15)}#${padNumber(flags, 4)}#${it.created_at}#${it.entity_id}`
}

const shiftKey = (key: string, by: number) => padNumber(Number(key.slice(0, 15)) + by, 15) + key.slice(15)
const padNumber = (number: number, width: number) => String(number).padStart(width, '0')
