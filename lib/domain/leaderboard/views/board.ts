import * as v from 'valibot'
import * as s from '../../../base/shapes.ts'
import { imageUrl } from '../../../platform/users/views/profile.ts'
import type { Board, RankedRow } from '../page.ts'

/** A row of the leaderboard. Only the whole board shows the figures. */
export const LeaderboardRowView = s.shape('LeaderboardRow', () =>
  v.object({
    rank: s.whole,
    user_id: s.uuid,
    username: s.text,
    full_name: s.text,
    institution: s.text,
    country: s.text,
    profile_image: s.text,
    avatar_url: s.text,
    score: s.whole,
    entities: v.optional(s.whole),
    accepted_entities: v.optional(s.whole),
    reviews: v.optional(s.whole),
    revisions: v.optional(s.whole),
    submissions: v.optional(s.whole),
    accepted_submissions: v.optional(s.whole),
  }),
)

/** A row of the leaderboard. On a board of one sort of work, `score` is the points there. */
export const leaderboardRow = (it: RankedRow, origin: string) => ({
  rank: it.rank,
  user_id: it.user_id,
  username: it.face.username,
  full_name: it.face.full_name,
  institution: it.face.institution,
  country: it.face.country,
  profile_image: boardImage(it, origin),
  avatar_url: it.face.avatar_url,
  score: it.points,
  ...(it.tally && {
    entities: it.tally.entities,
    accepted_entities: it.tally.accepted_entities,
    reviews: it.tally.reviews,
    revisions: it.tally.revisions,
    submissions: it.tally.submissions,
    accepted_submissions: it.tally.accepted_submissions,
  }),
})

export const ContributorRowView = s.shape('ContributorRow', () =>
  v.object({
    rank: s.whole,
    user_id: s.uuid,
    username: s.text,
    full_name: s.text,
    profile_image: s.text,
    avatar_url: s.text,
    contributions_count: s.whole,
    accepted_count: s.whole,
    forks_count: s.whole,
    merged_forks_count: s.whole,
    reviews_count: s.whole,
    revisions_count: s.whole,
    score: s.whole,
    date_joined: s.time,
  }),
)

export const contributorRow = (it: RankedRow, origin: string) => ({
  rank: it.rank,
  user_id: it.user_id,
  username: it.face.username,
  full_name: it.face.full_name,
  profile_image: boardImage(it, origin),
  avatar_url: it.face.avatar_url,
  contributions_count: it.tally?.entities ?? 0,
  accepted_count: it.tally?.accepted_entities ?? 0,
  forks_count: it.tally?.forks ?? 0,
  merged_forks_count: it.tally?.merged_forks ?? 0,
  reviews_count: it.tally?.reviews ?? 0,
  revisions_count: it.tally?.revisions ?? 0,
  score: it.points,
  date_joined: it.face.date_joined,
})

export const LeaderboardTotalsView = s.shape('LeaderboardTotals', () =>
  v.object({
    total_contributors: s.whole,
    total_score: s.whole,
    total_entities: s.whole,
    total_reviews: s.whole,
  }),
)

/** What the leaderboard's answer has beside its page of rows: the institutions, and `stats`, the totals. */
export const leaderboardExtras = ({ institutions, totals }: Board) => ({
  institutions,
  stats: {
    total_contributors: totals.contributors,
    total_score: totals.score,
    total_entities: totals.entities,
    total_reviews: totals.reviews,
  },
})

/** The address of a person's image; "" if there is none. */
export const boardImage = ({ user_id, face }: Pick<RankedRow, 'user_id' | 'face'>, origin: string): string =>
  imageUrl({ id: user_id, profile_image: face.profile_image }, origin) ?? ''
