import type { PageRequest } from '../lib/engines/table/index.ts'
import '../lib/domain/composition.ts'
import * as v from 'valibot'
import { invalid, notFound } from '../lib/base/errors.ts'
import * as s from '../lib/base/shapes.ts'
import * as board from '../lib/domain/leaderboard/page.ts'
import { loadProgression } from '../lib/domain/leaderboard/progression.ts'
import { BoardQuery } from '../lib/domain/leaderboard/queries.ts'
import { loadPersonalStatistics, loadStatistics } from '../lib/domain/leaderboard/statistics.ts'
import {
  ContributorRowView,
  contributorRow,
  LeaderboardRowView,
  LeaderboardTotalsView,
  leaderboardExtras,
  leaderboardRow,
} from '../lib/domain/leaderboard/views/board.ts'
import { ProgressionView, progressionView } from '../lib/domain/leaderboard/views/progression.ts'
import { withTables } from '../lib/doors/exports/list-tables.ts'
import { listOf, ok } from '../lib/platform/http/answer.ts'
import { endpoint } from '../lib/platform/http/endpoint.ts'
import { listBody } from '../lib/platform/http/page.ts'
import type { Request } from '../lib/platform/http/request.ts'
import { actorRoute, publicRoute, type Routes } from '../lib/platform/http/route.ts'

const numbers = { page: s.whole, page_size: s.whole, total_pages: s.whole }

/** The caller's rank and figures among those who sent legacy submissions. */
const PersonalStatisticsView = s.shape('PersonalStatistics', () =>
  v.object({
    rank: s.whole,
    user_id: s.uuid,
    username: s.text,
    total_submissions: s.whole,
    accepted_submissions: s.whole,
    score: s.whole,
  }),
)
/** The caller's figures, and how they have changed since the end of last month. */
const UserStatisticsView = s.shape('UserStatistics', () =>
  v.object({
    total_submissions: s.whole,
    submissions_growth: v.number(),
    approval_rate: v.number(),
    approval_rate_change: v.number(),
    contributor_rank: s.whole,
    rank_change: s.whole,
    community_impact_score: v.number(),
    impact_score_change: v.number(),
  }),
)

/** Boards of contributors, and the figures of each person over time. */
export const routes = withTables({
  'GET /data/leaderboard/': publicRoute({
    permission: 'board.list',
    summary: 'List people by what they have contributed',
    description:
      'Equal points share a rank. A page beyond the end is the last one. Of one sort of work, only its points are told.',
    answer: listOf(LeaderboardRowView, { ...numbers, institutions: v.array(s.text), stats: LeaderboardTotalsView }),
    query: BoardQuery,
    handle: async ({ query: { type, institution, search }, page, request }) => {
      if (type && institution) throw invalid({ institution: ['Institutions are told apart on the whole board only.'] })
      const listed = await board.loadBoardPage({ board: type ?? 'overall', institution, search }, page)
      return { ...pageBody(request, page, listed, leaderboardRow), ...leaderboardExtras(listed) }
    },
  }),

  'GET /data/contributors/': publicRoute({
    permission: 'board.list',
    summary: 'List the contributors of records',
    description: 'A page beyond the end is the last one.',
    answer: listOf(ContributorRowView, numbers),
    query: BoardQuery,
    handle: async ({ query: { search }, page, request }) =>
      pageBody(request, page, await board.loadBoardPage({ board: 'contributors', search }, page), contributorRow),
  }),

  'GET /data/progression/': publicRoute({
    permission: 'board.list',
    summary: 'Tell how far people have come, and the caller',
    answer: ok(ProgressionView),
    translatedPaths: [
      'user_progress.tier',
      'user_progress.nextMilestone',
      'user_progress.tracks.*.tier',
      'leaderboard.*.tier_name',
    ],
    handle: async ({ actor, request }) => progressionView(await loadProgression(actor), request.origin, request.say),
  }),

  'GET /data/personal-stats/': actorRoute({
    permission: 'statistics.own',
    summary: 'Read the own place among those who sent legacy submissions',
    answer: ok(PersonalStatisticsView),
    errors: [404],
    handle: async ({ actor }) => {
      const it = await loadPersonalStatistics(actor.id)
      if (!it) throw notFound()
      const { rank, ...figures } = it
      return { rank, user_id: actor.id, username: actor.username, ...figures }
    },
  }),

  'GET /data/user-stats/': actorRoute({
    permission: 'statistics.own',
    summary: 'Read the own figures, and how they have changed since the end of last month',
    answer: ok(UserStatisticsView),
    handle: async ({ actor }) => loadStatistics(actor.id),
  }),
} satisfies Routes)

export const handler = endpoint(routes)

/** Adds page numbers to the body of a list. A page beyond the end gets the numbers of the last page. */
function pageBody<Row>(
  request: Request,
  page: PageRequest,
  listed: board.Board,
  row: (it: board.RankedRow, origin: string) => Row,
) {
  const results = listed.results.map((it) => row(it, request.origin))
  return {
    ...listBody(request, { ...page, offset: listed.offset }, { ...listed, results }),
    page: Math.floor(listed.offset / page.limit) + 1,
    page_size: page.limit,
    total_pages: Math.max(1, Math.ceil(listed.count / page.limit)),
  }
}
