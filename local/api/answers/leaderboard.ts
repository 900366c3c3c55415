import * as v from 'valibot'
import type { routes } from '../../../functions/leaderboard.ts'
import { type Answers, ok, page } from '../answer.ts'
import { text, whole } from '../shapes/common.ts'
import {
  ContributorRow,
  LeaderboardRow,
  LeaderboardTotals,
  PersonalStatistics,
  Progression,
  UserStatistics,
} from '../shapes/standing.ts'

const numbers = { page: whole, page_size: whole, total_pages: whole }

export const leaderboard: Answers<typeof routes> = {
  'GET /data/leaderboard/': {
    says: 'List people by what they have contributed',
    more: 'Equal points share a rank. A page beyond the end is the last one. Of one sort of work, only its points are told.',
    gives: page(LeaderboardRow, { ...numbers, institutions: v.array(text), stats: LeaderboardTotals }),
  },
  'GET /data/contributors/': {
    says: 'List the contributors of records',
    more: 'A page beyond the end is the last one.',
    gives: page(ContributorRow, numbers),
  },
  'GET /data/progression/': {
    says: 'Tell how far people have come, and the caller',
    gives: ok(Progression),
  },
  'GET /data/personal-stats/': {
    says: 'Read the own place among those who sent legacy submissions',
    gives: ok(PersonalStatistics),
    refuses: [404],
  },
  'GET /data/user-stats/': {
    says: 'Read the own figures, and how they have changed since the end of last month',
    gives: ok(UserStatistics),
  },
}
