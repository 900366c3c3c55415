import { pointsByAcceptance, pointsFor } from './points.ts'
import { progressPoints } from './progress.ts'
import type { Figures } from './tally.ts'

const recordPoints = (it: Figures) => pointsByAcceptance(it.entities, it.accepted_entities)
const submissionPoints = (it: Figures) => pointsByAcceptance(it.submissions, it.accepted_submissions)
const reviewPoints = (it: Figures) => pointsFor.review * it.reviews
const revisionPoints = (it: Figures) => pointsFor.revision * it.revisions

/** The overall score: records, legacy submissions, reviews and revisions. */
export const scoreOf = (it: Figures): number =>
  recordPoints(it) + submissionPoints(it) + reviewPoints(it) + revisionPoints(it)
/** The score without legacy submissions, with forks that were merged. */
const contributorScoreOf = (it: Figures): number =>
  recordPoints(it) + reviewPoints(it) + revisionPoints(it) + pointsFor.mergedFork * it.merged_forks
/** The score over legacy submissions alone. */
export const submissionScoreOf = (it: Figures): number => pointsFor.accepted * it.accepted_submissions

type BoardRule = {
  /** The points by which people are ranked. A person with 0 is not on the board. */
  points: (it: Figures) => number
  /** Decides among equal points, before the username does. */
  tie: (it: Figures) => number
  /** The digits of the points on this board. A node of the tree counts by two of them. */
  digits: number
}
const byPoints = { tie: () => 0, digits: 8 }
const MOST_SUBMISSIONS = 999_999

/** The boards on which people are ranked. Equal points share a rank. */
export const boards = {
  overall: { points: scoreOf, tie: (it) => it.accepted_entities, digits: 8 },
  contributors: { ...byPoints, points: contributorScoreOf },
  Curation: { ...byPoints, points: (it) => recordPoints(it) + submissionPoints(it) },
  Revisions: { ...byPoints, points: revisionPoints },
  Moderation: { ...byPoints, points: reviewPoints },
  Forks: { ...byPoints, points: (it) => it.fork_points },
  progress: { ...byPoints, points: progressPoints },
  /** The total and the accepted ones in one number: total first. */
  submissions: {
    points: (it) =>
      Math.min(it.submissions, MOST_SUBMISSIONS) * (MOST_SUBMISSIONS + 1) +
      Math.min(it.accepted_submissions, MOST_SUBMISSIONS),
    tie: () => 0,
    digits: 12,
  },
} as const satisfies Record<string, BoardRule>
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
const pointsOn = (board: BoardName, it: Figures): number =>
  Math.min(boards[board].points(it), 10 ** boards[board].digits - 1)

const DIGITS = 12
const GREATEST = 10 ** DIGITS - 1
/** A number as text that sorts greater numbers first. */
const descendingText = (n: number) => String(GREATEST - Math.min(n, GREATEST)).padStart(DIGITS, '0')

/** The beginning of the sort keys of rows with these points. */
export const orderOf = (points: number): string => descendingText(points)

/** A person's points and tie-breaker on each board that the person is on. */
export type Positions = Partial<Record<BoardName, Position>>
export type Position = { points: number; tie: number }
export const positionsFor = (it: Figures): Positions =>
  Object.fromEntries(
    boardNames.flatMap((board) => {
      const points = pointsOn(board, it)
      return points > 0 ? [[board, { points, tie: boards[board].tie(it) }]] : []
    }),
  )

/** The sort key of a row: most points first, then the tie-breaker, then the username. */
export const rowPlace = ({ points, tie }: Position, username: string, id: string): string =>
  `${orderOf(points)}#${descendingText(tie)}#${username}#${id}`

/** A person's figures at the end of a month. */
export type Closing = { month: string; total: number; approval_rate: number; score: number }
/** A person's figures, and their closings of earlier months, oldest first. `month` is the month of `tally`. */
export type MonthlyFigures = { tally: Figures; month: string; closings: readonly Closing[] }

/** How many month-end figures are kept for a person: a year's, and the month before. */
const CLOSINGS_KEPT = 13

/** Moves figures to a later month. Their former month becomes a closing. */
export function moveToMonth<M extends MonthlyFigures>(figures: M, month: string): M {
  if (month <= figures.month) return figures
  return { ...figures, month, closings: [...figures.closings, closingOf(figures)].slice(-CLOSINGS_KEPT) }
}

const closingOf = ({ tally, month }: MonthlyFigures): Closing => ({
  month,
  total: totalOf(tally),
  approval_rate: approvalRate(tally),
  score: scoreOf(tally),
})

const totalOf = (it: Figures) => it.entities + it.submissions

/** Accepted contributions in percent of those that are accepted or rejected. 0 if there are neither. */
function approvalRate(figures: Figures): number {
  const accepted = figures.accepted_entities + figures.accepted_submissions
  const decided = accepted + figures.rejected_entities + figures.rejected_submissions
  return decided === 0 ? 0 : roundToHundredths((100 * accepted) / decided)
}

/** The community impact of a score: from 0 to 5, two decimals. */
const impactOf = (score: number) => Math.min(5, Math.round((100 * score) / 20) / 100)

/** Computes a person's figures and their change since the end of last month. Ranks start at 1. Rank 0 means no rank. */
export function trendOf(figures: MonthlyFigures, month: string, rank: number, rankBefore: number) {
  const moved = moveToMonth(figures, month)
  const last = closingIn(moved, monthBefore(month))
  const former = closingIn(moved, monthBefore(monthBefore(month)))
  const total = totalOf(moved.tally)
  const [added, addedBefore] = [total - last.total, last.total - former.total].map((n) => Math.max(0, n))
  const rate = approvalRate(moved.tally)
  const score = impactOf(scoreOf(moved.tally))
  return {
    total_submissions: total,
    submissions_growth: growth(added ?? 0, addedBefore ?? 0),
    approval_rate: rate,
    approval_rate_change: roundToHundredths(rate - last.approval_rate),
    contributor_rank: rank,
    rank_change: rank > 0 && rankBefore > 0 ? rankBefore - rank : 0,
    community_impact_score: score,
    impact_score_change: roundToHundredths(score - impactOf(last.score)),
  }
}

/** The score at the end of the month before this one. 0 if the person had none. */
export const scoreBefore = (it: MonthlyFigures, month: string): number =>
  closingIn(moveToMonth(it, month), monthBefore(month)).score

/** The latest closing up to this month. All its figures are 0 if the person has none. */
const closingIn = ({ closings }: MonthlyFigures, month: string): Closing =>
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
