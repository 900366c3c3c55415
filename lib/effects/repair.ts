// Every slice whose items are counted is loaded, so that its lists are known.
import '../clusters/clusters.ts'
import '../sources/sources.ts'
import '../submissions/items.ts'
import '../users/applications.ts'
import './search-documents.ts'
import { fedAnew } from '../changes/follow.ts'
import { tell } from '../changes/tell.ts'
import { recountAll } from '../leaderboard/sweep.ts'
import { followReviewer } from '../notifications/membership.ts'
import { recountInbox } from '../notifications/repair.ts'
import { renewTexts } from '../projects/assets/texts.ts'
import { followProject } from '../projects/derived.ts'
import { rebuild } from '../search/model/rebuild.ts'
import { scan } from '../table/scan.ts'
import { repairRecords } from './repair-records.ts'
import { repairSizes } from './repair-sizes.ts'

/** What was looked at, and how much was wrong. */
export type Repair = {
  records: number
  mended: number
  projects: number
  sizes: number
  people: number
  documents: number
}

/**
 * Brings everything that follows from other things up to what the table holds, in the order in which one follows from another:
 * names, queue, links and audiences of comments from records; the feed of changes; words of projects; the sizes of lists; the boards, which are
 * made of sizes; search. It may be run while the service goes on, and again. For operators.
 */
export async function repairAll(progress: (looked: number) => void = () => undefined): Promise<Repair> {
  const { looked, mended } = await repairRecords(progress)
  await repairFeed()
  const projects = await repairProjects()
  const sizes = (await repairSizes()) + (await repairInboxes())
  const people = await recountAll()
  await renewTexts()
  const { documents } = await rebuild()
  return { records: looked, mended, projects, sizes, people, documents }
}

/** Tells the feed of what it has not heard: what was there before it, and what came back with a backup. */
async function repairFeed(): Promise<void> {
  for await (const page of scan(['record', 'cluster'])) await tell(page.map(fedAnew))
}

/** What the table drops at this moment may be taken off twice, since the projector hears of it later: the next run puts that right. */
async function repairInboxes(): Promise<number> {
  let wrong = 0
  for await (const page of scan(['user']))
    for (const { id, reviewer_role } of page) if (reviewer_role) await followReviewer(String(id))
  for await (const page of scan(['inbox']))
    for (const { user_id } of page) wrong += (await recountInbox(String(user_id))) ? 1 : 0
  return wrong
}

async function repairProjects(): Promise<number> {
  let looked = 0
  for await (const page of scan(['project'])) {
    for (const after of page) await followProject({ before: undefined, after })
    looked += page.length
  }
  return looked
}
