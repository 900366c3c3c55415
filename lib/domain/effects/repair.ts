// These imports define item types, so that the repair of sizes knows every counted list. tests/contract/counted.test.ts checks this.
import '../alerts/items.ts'
import '../clusters/clusters.ts'
import '../identity/items.ts'
import '../imports/items.ts'
import '../notes/items.ts'
import '../organizations/items.ts'
import '../scans/items.ts'
import '../sources/sources.ts'
import '../submissions/items.ts'
import '../../platform/users/applications.ts'
import { rebuildSearch } from '../../engines/search/index.ts'
import { scan } from '../../engines/table/index.ts'
import { thingOf } from '../feed/follow.ts'
import { writeChanges } from '../feed/tell.ts'
import { followGraph } from '../graph/keep.ts'
import { recountAll } from '../leaderboard/sweep.ts'
import { followReviewer } from '../notifications/membership.ts'
import { renewTexts } from '../projects/assets/texts.ts'
import { followProject } from '../projects/derived.ts'
import { repairRecords } from './repair-records.ts'
import { repairSizes } from './repair-sizes.ts'

/** Counts of a repair: items that it looked at, and items that were wrong. */
export type Repair = {
  records: number
  mended: number
  projects: number
  sizes: number
  people: number
  documents: number
}

/**
 * Computes anew all that follows from other items. Safe to repeat, and to run while the service goes on. For operators.
 *
 * 1. From records: name index, queue, links, audiences of comments. Then the feed and the graphs.
 * 2. What follows from projects.
 * 3. The sizes of lists. Then who reviews, and the boards, which are made of sizes.
 * 4. The texts of assets, and the snapshot of search.
 */
export async function repairAll(progress: (looked: number) => void = () => undefined): Promise<Repair> {
  const { looked, mended } = await repairRecords(progress)
  await repairFeed()
  await repairGraphs()
  const projects = await repairProjects()
  const sizes = await repairSizes()
  await repairReviewers()
  const people = await recountAll()
  await renewTexts()
  const { documents } = await rebuildSearch()
  return { records: looked, mended, projects, sizes, people, documents }
}

/** Writes records and clusters that the feed lacks: older than the feed, or restored from a backup. */
async function repairFeed(): Promise<void> {
  for await (const page of scan(['record', 'cluster'])) await writeChanges(page.map(thingOf))
}

/** Brings the graphs up to date with all records. */
async function repairGraphs(): Promise<void> {
  for await (const page of scan(['record'])) await followGraph(page.map(({ entity_id }) => String(entity_id)))
}

/** Stores who began or ended reviewing if the projector missed it. */
async function repairReviewers(): Promise<void> {
  for await (const page of scan(['user']))
    for (const { id, reviewer_role } of page) if (reviewer_role) await followReviewer(String(id))
}

async function repairProjects(): Promise<number> {
  let looked = 0
  for await (const page of scan(['project'])) {
    for (const after of page) await followProject({ before: undefined, after })
    looked += page.length
  }
  return looked
}
