import { progressPoints } from './progress.ts'
import type { Tally } from './tally.ts'

/** How many points a thing is worth. */
const worth = { accepted: 10, other: 3, review: 5, revision: 2 } as const

const graded = (all: number, accepted: number) => worth.accepted * accepted + worth.other * (all - accepted)
const ofEntities = (it: Tally) => graded(it.entities, it.accepted_entities)
const ofSubmissions = (it: Tally) => graded(it.submissions, it.accepted_submissions)
const ofReviews = (it: Tally) => worth.review * it.reviews
const ofRevisions = (it: Tally) => worth.revision * it.revisions

/** The score of a person over everything. */
export const scoreOf = (it: Tally): number => ofEntities(it) + ofSubmissions(it) + ofReviews(it) + ofRevisions(it)
/** The score over records of their own, without legacy submissions. Nothing is forked yet. */
const contributorScoreOf = (it: Tally): number => ofEntities(it) + ofReviews(it) + ofRevisions(it)
/** The score over legacy submissions alone. */
export const submissionScoreOf = (it: Tally): number => worth.accepted * it.accepted_submissions

type Board = {
  /** What people are ranked by; who has none is not on the board. */
  points: (it: Tally) => number
  /** What decides among equals, before the name does. */
  tie: (it: Tally) => number
  /** Digits of a number of points; the name of a count is two of them. */
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
  /** By total, then by accepted ones, in one number. */
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
/** The points of a person on a board, no more than it counts. */
const pointsOn = (board: BoardName, it: Tally): number =>
  Math.min(boards[board].points(it), 10 ** boards[board].digits - 1)

const WIDTH = 12
const MOST = 10 ** WIDTH - 1
const descending = (n: number) => String(MOST - Math.min(n, MOST)).padStart(WIDTH, '0')

/** Where rows with these points begin in a board's order. */
export const orderOf = (points: number): string => descending(points)

/** What ranks a person on each board, and what decides among equals there; without the boards that the person is not on. */
export type Positions = Partial<Record<BoardName, Position>>
export type Position = { points: number; tie: number }
/** Where these figures put someone. */
export const positionsFor = (it: Tally): Positions =>
  Object.fromEntries(
    boardNames.flatMap((board) => {
      const points = pointsOn(board, it)
      return points > 0 ? [[board, { points, tie: boards[board].tie(it) }]] : []
    }),
  )

/** The place of a person in a board's order: most points first, then whatever decides among equals, then the name. */
export const placeOf = ({ points, tie }: Position, username: string, id: string): string =>
  `${orderOf(points)}#${descending(tie)}#${username}#${id}`

/** A person's figures at the end of a month. */
export type Closing = { month: string; total: number; approval_rate: number; score: number }
/** A person's figures and those of earlier months, oldest first. `month` is the one for which the figures stand. */
export type Course = { tally: Tally; month: string; closings: readonly Closing[] }

/** How many months are remembered. */
const MONTHS = 13

/** The same figures in a later month: those of the month that they stood for are closed. */
export function turned<It extends Course>(it: It, month: string): It {
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

/** Accepted ones among those decided on, in percent; of none, 0. */
function approvalRate(it: Tally): number {
  const accepted = it.accepted_entities + it.accepted_submissions
  const decided = accepted + it.rejected_entities + it.rejected_submissions
  return decided === 0 ? 0 : rounded((100 * accepted) / decided)
}

/** From 0 to 5. */
const impact = (score: number) => Math.min(5, Math.round((100 * score) / 20) / 100)

/** The figures of a person with how they have changed since the end of the month before; ranks from 1, 0 where there is none. */
export function trend(given: Course, month: string, rank: number, rankBefore: number) {
  const it = turned(given, month)
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
    approval_rate_change: rounded(rate - last.approval_rate),
    contributor_rank: rank,
    rank_change: rank > 0 && rankBefore > 0 ? rankBefore - rank : 0,
    community_impact_score: score,
    impact_score_change: rounded(score - impact(last.score)),
  }
}

/** The score with which a person went out of the month before this one; 0 when there was nobody yet. */
export const scoreBefore = (it: Course, month: string): number => closingIn(turned(it, month), monthBefore(month)).score

/** What stood at the end of a month: what was closed last before it ended. */
const closingIn = ({ closings }: Course, month: string): Closing =>
  closings.findLast((it) => it.month <= month) ?? { month, total: 0, approval_rate: 0, score: 0 }

const growth = (now: number, before: number) =>
  before === 0 ? (now > 0 ? 100 : 0) : rounded((100 * (now - before)) / before)

const rounded = (n: number) => Math.round(100 * n) / 100

/** `2025-01` for a moment in ISO 8601. */
export const monthOf = (at: string): string => at.slice(0, 7)

/** The month before one. */
export function monthBefore(month: string): string {
  const [year = 0, number = 1] = month.split('-').map(Number)
  const [y, m] = number === 1 ? [year - 1, 12] : [year, number - 1]
  return `${String(y).padStart(4, '0')}-${String(m).padStart(2, '0')}`
}
