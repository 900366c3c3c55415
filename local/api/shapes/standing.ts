import * as v from 'valibot'
import { trackIds } from '../../../lib/leaderboard/progress.ts'
import { activityTypes } from '../../../lib/records/items.ts'
import { maybe, oneOf, text, time, uuid, whole } from './common.ts'

/** Who has contributed how much. */

/** Someone on the leaderboard. The figures stand on the whole board alone. */
export const LeaderboardRow = v.object({
  rank: whole,
  user_id: uuid,
  username: text,
  full_name: text,
  institution: text,
  country: text,
  profile_image: text,
  avatar_url: text,
  score: whole,
  entities: v.optional(whole),
  accepted_entities: v.optional(whole),
  reviews: v.optional(whole),
  revisions: v.optional(whole),
  submissions: v.optional(whole),
  accepted_submissions: v.optional(whole),
})
export const LeaderboardTotals = v.object({
  total_contributors: whole,
  total_score: whole,
  total_entities: whole,
  total_reviews: whole,
})
export const ContributorRow = v.object({
  rank: whole,
  user_id: uuid,
  username: text,
  full_name: text,
  profile_image: text,
  avatar_url: text,
  contributions_count: whole,
  accepted_count: whole,
  forks_count: whole,
  merged_forks_count: whole,
  reviews_count: whole,
  revisions_count: whole,
  score: whole,
  date_joined: time,
})

const tierIds = ['apprentice', 'scholar', 'curator', 'archivist', 'grandkeeper'] as const
export const Medals = v.object({ gold: whole, silver: whole, bronze: whole })
export const ProgressRow = v.object({
  rank: whole,
  user_id: uuid,
  username: text,
  full_name: text,
  institution: text,
  profile_image: text,
  score: whole,
  tier_name: text,
  tier_icon: text,
  tier_id: oneOf(tierIds),
  tracks: v.optional(v.object({ ...v.entriesFromList(trackIds, whole), fork_contributions: whole, total: whole })),
  medals: Medals,
})
/** How far the caller has come. */
export const OwnProgress = v.object({
  tier: text,
  tierIcon: text,
  tierId: oneOf(tierIds),
  rank: whole,
  totalPoints: whole,
  tracks: v.array(
    v.object({ id: oneOf(trackIds), tier: text, points: whole, nextTierPoints: whole, percentage: whole }),
  ),
  medals: Medals,
  nextMilestone: text,
  nextTierPoints: whole,
  pointsToNextTier: whole,
  progressPercent: whole,
  streak: whole,
  recentActivity: v.array(v.object({ type: oneOf(activityTypes), points: whole, label: text, created_at: time })),
  breakdown: v.object({
    entities: whole,
    acceptedEntities: whole,
    revisions: whole,
    reviews: whole,
    submissions: whole,
  }),
  fullName: text,
  institution: text,
  profileImage: text,
})
/** Of nobody who is signed in, `user_progress` is null. */
export const Progression = v.object({ user_progress: maybe(OwnProgress), leaderboard: v.array(ProgressRow) })

/** The caller among those who sent legacy submissions. */
export const PersonalStatistics = v.object({
  rank: whole,
  user_id: uuid,
  username: text,
  total_submissions: whole,
  accepted_submissions: whole,
  score: whole,
})
/** The caller's figures, and how they have changed since the end of last month. */
export const UserStatistics = v.object({
  total_submissions: whole,
  submissions_growth: v.number(),
  approval_rate: v.number(),
  approval_rate_change: v.number(),
  contributor_rank: whole,
  rank_change: whole,
  community_impact_score: v.number(),
  impact_score_change: v.number(),
})
