import { clock } from '../../base/clock.ts'
import { get } from '../../engines/table/index.ts'
import type { Actor } from '../../platform/permissions.ts'
import { type ActivityPage, listRecordActivities } from '../records/activities.ts'
import { type Entry, entry } from './items.ts'
import { rankIn } from './order-statistic-tree.ts'
import { type Board, loadBoardPage } from './page.ts'
import { progressPoints } from './progress.ts'
import type { Tally } from './tally.ts'

/** Rows of the board, and activities of one person that are read. */
const SHOWN = 50
const LOOKED_AT = 100

export type Progress = {
  entry: Entry | undefined
  tally: Tally
  points: number
  rank: number
  lately: ActivityPage['results']
  today: string
}
export type Progression = { board: Board; own: Progress | null }

/** The people with the most progress, and the caller's own. */
export async function loadProgression(actor: Actor | null): Promise<Progression> {
  const [board, own] = await Promise.all([
    loadBoardPage({ board: 'progress' }, { limit: SHOWN, offset: 0 }),
    actor && progressOf(actor),
  ])
  return { board, own }
}

async function progressOf(actor: Actor): Promise<Progress> {
  const [it, { results }] = await Promise.all([
    get(entry, { user_id: actor.id }),
    listRecordActivities({ username: actor.username }, actor, { limit: LOOKED_AT, offset: 0 }),
  ])
  const position = it?.standing.progress
  const tally = it?.tally ?? nothing
  return {
    entry: it,
    tally,
    points: progressPoints(tally),
    rank: position ? (await rankIn('progress', position.points)).above + 1 : 0,
    lately: results,
    today: clock.now().toISOString(),
  }
}

const nothing: Tally = {
  entities: 0,
  accepted_entities: 0,
  rejected_entities: 0,
  reviews: 0,
  revisions: 0,
  submissions: 0,
  accepted_submissions: 0,
  rejected_submissions: 0,
}
