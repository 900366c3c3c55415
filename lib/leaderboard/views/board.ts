import { imageUrl } from '../../users/views/profile.ts'
import type { Board, Ranked } from '../page.ts'

/** Someone on the leaderboard; of a board of one sort of work, the points there. */
export const leaderboardRow = (it: Ranked, origin: string) => ({
  rank: it.rank,
  user_id: it.user_id,
  username: it.face.username,
  full_name: it.face.full_name,
  institution: it.face.institution,
  country: it.face.country,
  profile_image: imageOf(it, origin),
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

/** Someone among the contributors. Nothing is forked yet. */
export const contributorRow = (it: Ranked, origin: string) => ({
  rank: it.rank,
  user_id: it.user_id,
  username: it.face.username,
  full_name: it.face.full_name,
  profile_image: imageOf(it, origin),
  avatar_url: it.face.avatar_url,
  contributions_count: it.tally?.entities ?? 0,
  accepted_count: it.tally?.accepted_entities ?? 0,
  forks_count: 0,
  merged_forks_count: 0,
  reviews_count: it.tally?.reviews ?? 0,
  revisions_count: it.tally?.revisions ?? 0,
  score: it.points,
  date_joined: it.face.date_joined,
})

/** What a leaderboard says beside its rows. */
export const leaderboardExtras = ({ institutions, totals }: Board) => ({
  institutions,
  stats: {
    total_contributors: totals.contributors,
    total_score: totals.score,
    total_entities: totals.entities,
    total_reviews: totals.reviews,
  },
})

/** Where the image of someone on a board is; "" where there is none. */
export const imageOf = ({ user_id, face }: Pick<Ranked, 'user_id' | 'face'>, origin: string): string =>
  imageUrl({ id: user_id, profile_image: face.profile_image }, origin) ?? ''
