import { clock } from '../../base/clock.ts'
import { get } from '../../engines/table/index.ts'
import type { Actor } from '../../platform/permissions.ts'
import { type ActivityPage, listRecordActivities } from '../records/activities.ts'
import { type BoardEntry, boardEntry } from './items.ts'
import { loadRank } from './order-statistic-tree.ts'
import { type Board, loadBoardPage } from './page.ts'
import { progressPoints } from './progress.ts'
import type { Figures } from './tally.ts'

/** Rows of the board that are shown. */
const ROWS_SHOWN = 50
/** Activities of the caller that are read, for the streak and the latest ones. */
const ACTIVITIES_READ = 100

export type PersonProgress = {
  entry: BoardEntry | undefined
  tally: Figures
  points: number
  rank: number
  recent: ActivityPage['results']
  today: string
}
export type Progression = { board: Board; own: PersonProgress | null }

/** Loads the people with the most progress, and the caller's own progress. */
export async function loadProgression(actor: Actor | null): Promise<Progression> {
  const [board, own] = await Promise.all([
    loadBoardPage({ board: 'progress' }, { limit: ROWS_SHOWN, offset: 0 }),
    actor && loadProgress(actor),
  ])
  return { board, own }
}

async function loadProgress(actor: Actor): Promise<PersonProgress> {
  const [entry, { results }] = await Promise.all([
    get(boardEntry, { user_id: actor.id }),
    listRecordActivities({ username: actor.username }, actor, { limit: ACTIVITIES_READ, offset: 0 }),
  ])
  const position = entry?.standing.progress
  const tally = entry?.tally ?? noFigures
  return {
    entry,
    tally,
    points: progressPoints(tally),
    rank: position ? (await loadRank('progress', position.points)).above + 1 : 0,
    recent: results,
    today: clock.now().toISOString(),
  }
}

const noFigures: Figures = {
  entities: 0,
  accepted_entities: 0,
  rejected_entities: 0,
  reviews: 0,
  revisions: 0,
  submissions: 0,
  accepted_submissions: 0,
  rejected_submissions: 0,
  forks: 0,
  merged_forks: 0,
  fork_points: 0,
}
