import type { Ranked } from '../page.ts'
import { activityPoints, medalsAt, progressPoints, streakOf, tierAt, trackIds, tracksOf } from '../progress.ts'
import type { Progress, Progression } from '../progression.ts'
import { imageOf } from './board.ts'

/** How far people have come, in the members that the dashboard reads: those of the caller are in camel case. */
export const progressionView = ({ board, own }: Progression, origin: string) => ({
  user_progress: own && progressView(own, board.count, origin),
  leaderboard: board.results.map((it) => progressRow(it, board.count, origin)),
})

/** How many of the latest activities are shown. */
const SHOWN = 10

function progressView(it: Progress, total: number, origin: string) {
  const tier = tierAt(it.points)
  const tracks = tracksOf(it.tally)
  return {
    tier: tier.name,
    tierIcon: tier.icon,
    tierId: tier.id,
    rank: it.rank,
    totalPoints: it.points,
    tracks: trackIds.map((id) => {
      const at = tierAt(tracks[id], 'track')
      return { id, tier: at.name, points: tracks[id], nextTierPoints: at.goal, percentage: at.percent }
    }),
    medals: medalsAt(it.rank, total),
    nextMilestone: tier.next,
    nextTierPoints: tier.goal,
    pointsToNextTier: tier.left,
    progressPercent: tier.percent,
    streak: streakOf(
      it.lately.map(({ activity }) => activity.created_at),
      it.today,
    ),
    recentActivity: it.lately.slice(0, SHOWN).map(({ activity, about }) => ({
      type: activity.activity_type,
      points: activityPoints[activity.activity_type] ?? 0,
      label: [activity.activity_type.replace('_', ' '), about?.name].filter(Boolean).join(': '),
      created_at: activity.created_at,
    })),
    breakdown: {
      entities: it.tally.entities,
      acceptedEntities: it.tally.accepted_entities,
      revisions: it.tally.revisions,
      reviews: it.tally.reviews,
      submissions: it.tally.submissions,
    },
    fullName: it.entry?.face.full_name ?? '',
    institution: it.entry?.face.institution ?? '',
    profileImage: it.entry ? imageOf(it.entry, origin) : '',
  }
}

function progressRow(it: Ranked, total: number, origin: string) {
  const tier = tierAt(it.points)
  const tracks = it.tally && tracksOf(it.tally)
  return {
    rank: it.rank,
    user_id: it.user_id,
    username: it.face.username,
    full_name: it.face.full_name,
    institution: it.face.institution,
    profile_image: imageOf(it, origin),
    score: it.points,
    tier_name: tier.name,
    tier_icon: tier.icon,
    tier_id: tier.id,
    tracks: tracks && { ...tracks, fork_contributions: 0, total: it.tally ? progressPoints(it.tally) : 0 },
    medals: medalsAt(it.rank, total),
  }
}
