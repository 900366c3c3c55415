import { clock } from '../clock.ts'
import type { Actor } from '../permissions.ts'
import { type Feed, list } from '../records/activities.ts'
import { get } from '../table/read.ts'
import { type Entry, entry } from './items.ts'
import { rankIn } from './order-statistic-tree.ts'
import { type Board, page } from './page.ts'
import { progressPoints } from './progress.ts'
import type { Tally } from './tally.ts'

/** How many are shown, and how many of a person's latest activities are looked at. */
const SHOWN = 50
const LOOKED_AT = 100

export type Progress = {
  entry: Entry | undefined
  tally: Tally
  points: number
  rank: number
  lately: Feed['results']
  today: string
}
export type Progression = { board: Board; own: Progress | null }

/** Those who have come furthest, and how far the caller has. */
export async function progression(actor: Actor | null): Promise<Progression> {
  const [board, own] = await Promise.all([
    page({ board: 'progress' }, { limit: SHOWN, offset: 0 }),
    actor && progressOf(actor),
  ])
  return { board, own }
}

async function progressOf(actor: Actor): Promise<Progress> {
  const [it, { results }] = await Promise.all([
    get(entry, { user_id: actor.id }),
    list({ username: actor.username }, actor, { limit: LOOKED_AT, offset: 0 }),
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
