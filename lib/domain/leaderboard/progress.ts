import { phrase } from '../../base/language/languages.ts'
import { pointsByAcceptance, pointsFor } from './points.ts'
import type { Figures } from './tally.ts'

/** The tiers: the least points of each, in all (`from`) and on one of the four tracks (`track`). */
const tiers = [
  { id: 'apprentice', name: phrase('Apprentice'), icon: '🌱', from: 0, track: 0 },
  { id: 'scholar', name: phrase('Scholar'), icon: '📜', from: 100, track: 15 },
  { id: 'curator', name: phrase('Curator'), icon: '🏛️', from: 500, track: 40 },
  { id: 'archivist', name: phrase('Archivist'), icon: '🗄️', from: 1500, track: 100 },
  { id: 'grandkeeper', name: phrase('Grand Keeper'), icon: '👑', from: 5000, track: 200 },
] as const
export const trackIds = ['curation', 'annotation', 'verification', 'exhibition'] as const
export type Tracks = Record<(typeof trackIds)[number], number>

export const tracksOf = (it: Figures): Tracks => ({
  curation:
    pointsByAcceptance(it.entities, it.accepted_entities) + pointsByAcceptance(it.submissions, it.accepted_submissions),
  annotation: pointsFor.revision * it.revisions,
  verification: pointsFor.review * it.reviews,
  exhibition: pointsFor.onShow * it.accepted_entities,
})

/** The points of all tracks together, and of forks. */
export const progressPoints = (it: Figures): number =>
  Object.values(tracksOf(it)).reduce((sum, n) => sum + n, it.fork_points)

/** The tier at some points, and the points that are left to the next one. 0 are left at the top. */
export function tierAt(points: number, by: 'from' | 'track' = 'from') {
  const at = tiers.findLast((it) => points >= it[by]) ?? tiers[0]
  const next = tiers[tiers.indexOf(at) + 1]
  const goal = next?.[by] ?? at[by]
  const percent = next ? Math.floor((100 * (points - at[by])) / (next[by] - at[by])) : 100
  return { ...at, next: next?.name ?? '', goal, left: Math.max(0, goal - points), percent }
}

/** The medal of a rank: gold for the first tenth of people, silver for the second, bronze up to four tenths. */
export function medalsAt(rank: number, total: number): { gold: number; silver: number; bronze: number } {
  const share = rank > 0 && total > 0 ? rank / total : 1
  const won = medals.find(({ upTo }) => share <= upTo)?.name
  return { gold: 0, silver: 0, bronze: 0, ...(won && { [won]: 1 }) }
}

const medals = [
  { name: 'gold', upTo: 0.1 },
  { name: 'silver', upTo: 0.2 },
  { name: 'bronze', upTo: 0.4 },
] as const

/** Days in a row with at least one activity, up to today or yesterday. */
export function streakOf(moments: readonly string[], today: string): number {
  const days = new Set(moments.map((at) => at.slice(0, 10)))
  const dayBefore = (day: string) => new Date(Date.parse(`${day}T00:00:00Z`) - 86_400_000).toISOString().slice(0, 10)
  const first = today.slice(0, 10)
  let day = days.has(first) ? first : dayBefore(first)
  let streak = 0
  while (days.has(day)) {
    streak += 1
    day = dayBefore(day)
  }
  return streak
}

/** The points that an activity gives to its author. */
export const activityPoints: Readonly<Record<string, number>> = {
  submitted: pointsFor.other,
  revised: pointsFor.revision,
  accepted: pointsFor.review,
  rejected: pointsFor.review,
  changes_requested: pointsFor.review,
  escalated: pointsFor.review,
}
