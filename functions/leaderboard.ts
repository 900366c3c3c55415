import '../lib/effects/search-documents.ts'
import { invalid, notFound } from '../lib/errors.ts'
import { withTables } from '../lib/exports/list-tables.ts'
import { endpoint } from '../lib/http/endpoint.ts'
import { listBody, type PageRequest } from '../lib/http/page.ts'
import type { Request } from '../lib/http/request.ts'
import { actorRoute, publicRoute, type Routes } from '../lib/http/route.ts'
import * as board from '../lib/leaderboard/page.ts'
import { progression } from '../lib/leaderboard/progression.ts'
import { BoardQuery } from '../lib/leaderboard/queries.ts'
import { personalOf, statisticsOf } from '../lib/leaderboard/statistics.ts'
import { contributorRow, leaderboardExtras, leaderboardRow } from '../lib/leaderboard/views/board.ts'
import { progressionView } from '../lib/leaderboard/views/progression.ts'

/** Who has contributed how much, among everyone and over time. */
export const routes = withTables({
  'GET /data/leaderboard/': publicRoute({
    permission: 'board.list',
    query: BoardQuery,
    handle: async ({ query: { type, institution, search }, page, request }) => {
      if (type && institution) throw invalid({ institution: ['Institutions are told apart on the whole board only.'] })
      const listed = await board.page({ board: type ?? 'overall', institution, search }, page)
      return { ...pageBody(request, page, listed, leaderboardRow), ...leaderboardExtras(listed) }
    },
  }),

  'GET /data/contributors/': publicRoute({
    permission: 'board.list',
    query: BoardQuery,
    handle: async ({ query: { search }, page, request }) =>
      pageBody(request, page, await board.page({ board: 'contributors', search }, page), contributorRow),
  }),

  'GET /data/progression/': publicRoute({
    permission: 'board.list',
    says: [
      'user_progress.tier',
      'user_progress.nextMilestone',
      'user_progress.tracks.*.tier',
      'leaderboard.*.tier_name',
    ],
    handle: async ({ actor, request }) => progressionView(await progression(actor), request.origin),
  }),

  'GET /data/personal-stats/': actorRoute({
    permission: 'statistics.own',
    handle: async ({ actor }) => {
      const it = await personalOf(actor.id)
      if (!it) throw notFound()
      const { rank, ...figures } = it
      return { rank, user_id: actor.id, username: actor.username, ...figures }
    },
  }),

  'GET /data/user-stats/': actorRoute({
    permission: 'statistics.own',
    handle: async ({ actor }) => statisticsOf(actor.id),
  }),
} satisfies Routes)

export const handler = endpoint(routes)

/** A list body with the numbers of its page: beyond the end, those of the last. */
function pageBody(
  request: Request,
  page: PageRequest,
  listed: board.Board,
  row: (it: board.Ranked, origin: string) => object,
): object {
  const results = listed.results.map((it) => row(it, request.origin))
  return {
    ...listBody(request, { ...page, offset: listed.offset }, { ...listed, results }),
    page: Math.floor(listed.offset / page.limit) + 1,
    page_size: page.limit,
    total_pages: Math.max(1, Math.ceil(listed.count / page.limit)),
  }
}
