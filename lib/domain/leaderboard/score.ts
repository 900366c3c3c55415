import { progressPoints } from './progress.ts'
import type { Tally } from './tally.ts'

/** Points for each thing. */
const worth = { accepted: 10, other: 3, review: 5, revision: 2 } as const

const pointsByAcceptance = (all: number, accepted: number) => worth.accepted * accepted + worth.other * (all - accepted)
const ofEntities = (it: Tally) => pointsByAcceptance(it.entities, it.accepted_entities)
const ofSubmissions = (it: Tally) => pointsByAcceptance(it.submissions, it.accepted_submissions)
const ofReviews = (it: Tally) => worth.review * it.reviews
const ofRevisions = (it: Tally) => worth.revision * it.revisions

/** The score over everything. */
export const scoreOf = (it: Tally): number => ofEntities(it) + ofSubmissions(it) + ofReviews(it) + ofRevisions(it)
/** The score without legacy submissions. Forks do not exist yet. */
const contributorScoreOf = (it: Tally): number => ofEntities(it) + ofReviews(it) + ofRevisions(it)
/** The score over legacy submissions alone. */
export const submissionScoreOf = (it: Tally): number => worth.accepted * it.accepted_submissions

type Board = {
  /** What people are ranked by. A person with 0 is not on the board. */
  points: (it: Tally) => number
  /** Decides among equal points, before the username does. */
  tie: (it: Tally) => number
  /** The digits of the points on this board. A node of the tree counts by two of them. */
  digits: number
}
const byPoints = { tie: () => 0, digits: 8 }
const MOST_SUBMISSIONS = 999_999

/** The boards on which people are ranked. Equal points share a rank. */
export const boards = {
  overall: { points: scoreOf, tie: (it) => it.accepted_entities, digits: 8 },
  contributors: { ...byPoints, points: contributorScoreOf },
  Curation: { ...byPoints, points: (it) => ofEntities(it) + ofSubmissions(it) },
  Revisions: { ...byPoints, points: ofRevisions },
  Moderation: { ...byPoints, points: ofReviews },
  Forks: { ...byPoints, points: () => 0 },
  progress: { ...byPoints, points: progressPoints },
  /** The total and the accepted ones in one number: total first. */
  submissions: {
    points: (it) =>
      Math.min(it.submissions, MOST_SUBMISSIONS) * (MOST_SUBMISSIONS + 1) +
      Math.min(it.accepted_submissions, MOST_SUBMISSIONS),
    tie: () => 0,
    digits: 12,
  },
} as const satisfies Record<string, Board>
export type BoardName = keyof typeof boards
export const boardNames: readonly BoardName[] = [
  'overall',
  'contributors',
  'Curation',
  'Revisions',
  'Moderation',
  'Forks',
  'progress',
  'submissions',
]
/** A person's points on a board, at most what its digits can hold. */
const pointsOn = (board: BoardName, it: Tally): number =>
  Math.min(boards[board].points(it), 10 ** boards[board].digits - 1)

const WIDTH = 12
const MOST = 10 ** WIDTH - 1
const descending = (n: number) => String(MOST - Math.min(n, MOST)).padStart(WIDTH, '0')

/** Where rows with these points begin in the sort order of a board. */
export const orderOf = (points: number): string => descending(points)

/** A person's points and tie-breaker on each board, without the boards that the person is not on. */
export type Positions = Partial<Record<BoardName, Position>>
export type Position = { points: number; tie: number }
/** The positions for some figures. */
export const positionsFor = (it: Tally): Positions =>
  Object.fromEntries(
    boardNames.flatMap((board) => {
      const points = pointsOn(board, it)
      return points > 0 ? [[board, { points, tie: boards[board].tie(it) }]] : []
    }),
  )

/** The sort key of a row: most points first, then the tie-breaker, then the username. */
export const placeOf = ({ points, tie }: Position, username: string, id: string): string =>
  `${orderOf(points)}#${descending(tie)}#${username}#${id}`

/** A person's figures at the end of a month. */
export type Closing = { month: string; total: number; approval_rate: number; score: number }
/** A person's figures and those of earlier months, oldest first. `month` is the month of `tally`. */
export type Course = { tally: Tally; month: string; closings: readonly Closing[] }

/** Months that are kept. */
const MONTHS = 13

/** The same figures in a later month. The month that they belonged to becomes a closing. */
export function moveToMonth<It extends Course>(it: It, month: string): It {
  if (month <= it.month) return it
  return { ...it, month, closings: [...it.closings, closingOf(it)].slice(-MONTHS) }
}

const closingOf = ({ tally, month }: Course): Closing => ({
  month,
  total: totalOf(tally),
  approval_rate: approvalRate(tally),
  score: scoreOf(tally),
})

const totalOf = (it: Tally) => it.entities + it.submissions

/** Accepted ones in percent of those decided; 0 if none is decided. */
function approvalRate(it: Tally): number {
  const accepted = it.accepted_entities + it.accepted_submissions
  const decided = accepted + it.rejected_entities + it.rejected_submissions
  return decided === 0 ? 0 : roundToHundredths((100 * accepted) / decided)
}

/** A score as a number from 0 to 5. */
const impact = (score: number) => Math.min(5, Math.round((100 * score) / 20) / 100)

/** A person's figures with their change since the end of last month. Ranks start at 1; 0 means no rank. */
export function trendOf(given: Course, month: string, rank: number, rankBefore: number) {
  const it = moveToMonth(given, month)
  const last = closingIn(it, monthBefore(month))
  const former = closingIn(it, monthBefore(monthBefore(month)))
  const total = totalOf(it.tally)
  const [added, addedBefore] = [total - last.total, last.total - former.total].map((n) => Math.max(0, n))
  const rate = approvalRate(it.tally)
  const score = impact(scoreOf(it.tally))
  return {
    total_submissions: total,
    submissions_growth: growth(added ?? 0, addedBefore ?? 0),
    approval_rate: rate,
    approval_rate_change: roundToHundredths(rate - last.approval_rate),
    contributor_rank: rank,
    rank_change: rank > 0 && rankBefore > 0 ? rankBefore - rank : 0,
    community_impact_score: score,
    impact_score_change: roundToHundredths(score - impact(last.score)),
  }
}

/** The score at the end of the month before this one; 0 if there was none. */
export const scoreBefore = (it: Course, month: string): number =>
  closingIn(moveToMonth(it, month), monthBefore(month)).score

/** The latest closing up to this month; zeros if there is none. */
const closingIn = ({ closings }: Course, month: string): Closing =>
  closings.findLast((it) => it.month <= month) ?? { month, total: 0, approval_rate: 0, score: 0 }

const growth = (now: number, before: number) =>
  before === 0 ? (now > 0 ? 100 : 0) : roundToHundredths((100 * (now - before)) / before)

const roundToHundredths = (n: number) => Math.round(100 * n) / 100

/** The month of a moment in ISO 8601. Example: `2025-01`. */
export const monthOf = (at: string): string => at.slice(0, 7)

export function monthBefore(month: string): string {
  const [year = 0, number = 1] = month.split('-').map(Number)
  const [y, m] = number === 1 ? [year - 1, 12] : [year, number - 1]
  return `${String(y).padStart(4, '0')}-${String(m).padStart(2, '0')}`
}
