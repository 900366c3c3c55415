import * as v from 'valibot'
import type { Say } from '../../../base/language/catalogue.ts'
import { phrase } from '../../../base/language/languages.ts'
import * as s from '../../../base/shapes.ts'
import { activityTypes } from '../../records/items.ts'
import type { RankedRow } from '../page.ts'
import { activityPoints, medalsAt, progressPoints, streakOf, tierAt, trackIds, tracksOf } from '../progress.ts'
import type { PersonProgress, Progression } from '../progression.ts'
import { boardImage } from './board.ts'

const tierIds = () => ['apprentice', 'scholar', 'curator', 'archivist', 'grandkeeper'] as const
const MedalsView = s.shape('Medals', () => v.object({ gold: s.whole, silver: s.whole, bronze: s.whole }))
const ProgressRowView = s.shape('ProgressRow', () =>
  v.object({
    rank: s.whole,
    user_id: s.uuid,
    username: s.text,
    full_name: s.text,
    institution: s.text,
    profile_image: s.text,
    score: s.whole,
    tier_name: s.text,
    tier_icon: s.text,
    tier_id: s.oneOf(tierIds()),
    tracks: v.optional(
      v.object({ ...v.entriesFromList(trackIds, s.whole), fork_contributions: s.whole, total: s.whole }),
    ),
    medals: MedalsView,
  }),
)
const OwnProgressView = s.shape('OwnProgress', () =>
  v.object({
    tier: s.text,
    tierIcon: s.text,
    tierId: s.oneOf(tierIds()),
    rank: s.whole,
    totalPoints: s.whole,
    tracks: v.array(
      v.object({ id: s.oneOf(trackIds), tier: s.text, points: s.whole, nextTierPoints: s.whole, percentage: s.whole }),
    ),
    medals: MedalsView,
    nextMilestone: s.text,
    nextTierPoints: s.whole,
    pointsToNextTier: s.whole,
    progressPercent: s.whole,
    streak: s.whole,
    recentActivity: v.array(
      v.object({ type: s.oneOf(activityTypes), points: s.whole, label: s.text, created_at: s.time }),
    ),
    breakdown: v.object({
      entities: s.whole,
      acceptedEntities: s.whole,
      revisions: s.whole,
      reviews: s.whole,
      submissions: s.whole,
    }),
    fullName: s.text,
    institution: s.text,
    profileImage: s.text,
  }),
)
/** `user_progress` is null if nobody is signed in. */
export const ProgressionView = s.shape('Progression', () =>
  v.object({ user_progress: s.maybe(OwnProgressView), leaderboard: v.array(ProgressRowView) }),
)

/** The JSON that the dashboard reads. The members of `user_progress` are in camel case. `say`: the language of its reader. */
export const progressionView = ({ board, own }: Progression, origin: string, say: Say) => ({
  user_progress: own && progressView(own, board.count, origin, say),
  leaderboard: board.results.map((it) => progressRow(it, board.count, origin)),
})

/** The caller's latest activities that are shown. */
const ACTIVITIES_SHOWN = 10

/** What somebody did, as a label says it before the name of the record. */
const deeds = {
  submitted: phrase('submitted'),
  accepted: phrase('accepted'),
  rejected: phrase('rejected'),
  revised: phrase('revised'),
  commented: phrase('commented'),
  escalated: phrase('escalated'),
  changes_requested: phrase('changes requested'),
  flagged: phrase('flagged'),
  conflict_resolved: phrase('conflict resolved'),
} as const satisfies Readonly<Record<(typeof activityTypes)[number], string>>

function progressView(it: PersonProgress, total: number, origin: string, say: Say) {
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
      it.recent.map(({ activity }) => activity.created_at),
      it.today,
    ),
    recentActivity: it.recent.slice(0, ACTIVITIES_SHOWN).map(({ activity, about }) => ({
      type: activity.activity_type,
      points: activityPoints[activity.activity_type] ?? 0,
      label: [say(deeds[activity.activity_type]), about?.name].filter(Boolean).join(': '),
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
    profileImage: it.entry ? boardImage(it.entry, origin) : '',
  }
}

function progressRow(it: RankedRow, total: number, origin: string) {
  const tier = tierAt(it.points)
  const tracks = it.tally && tracksOf(it.tally)
  return {
    rank: it.rank,
    user_id: it.user_id,
    username: it.face.username,
    full_name: it.face.full_name,
    institution: it.face.institution,
    profile_image: boardImage(it, origin),
    score: it.points,
    tier_name: tier.name,
    tier_icon: tier.icon,
    tier_id: tier.id,
    tracks: tracks && {
      ...tracks,
      fork_contributions: it.tally?.fork_points ?? 0,
      total: it.tally ? progressPoints(it.tally) : 0,
    },
    medals: medalsAt(it.rank, total),
  }
}
