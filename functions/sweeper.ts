import '../lib/effects/search-documents.ts'
import { sweepImports } from '../lib/imports/work.ts'
import { sweepBoards } from '../lib/leaderboard/sweep.ts'
import { sweepLooseFiles } from '../lib/loose-files.ts'
import { log } from '../lib/ops/log.ts'
import { sweepPictures } from '../lib/pictures/files.ts'
import { sweepOcr } from '../lib/projects/assets/ocr.ts'
import { sweepFiles } from '../lib/projects/assets/sweep.ts'
import { sweepUploads } from '../lib/projects/assets/uploads.ts'
import { sweepMerges } from '../lib/projects/merge-sweep.ts'
import { queueState } from '../lib/review/queue-state.ts'
import { sweepQueue } from '../lib/review/sweep.ts'
import { compact } from '../lib/search/model/compact.ts'
import { alone } from '../lib/table/alone.ts'
import { recoverStaged } from '../lib/table/two-phase/commit.ts'

type Chores = Readonly<Record<string, () => Promise<number>>>
type HowOften = keyof typeof chores

/** Of what is large a visit does a part: others wait for their turn. */
const settleStaged = () => recoverStaged(performance.now() + 45_000)

/** What time alone asks for, by how often; each answers how many things it has dealt with, and is safe to repeat. */
const chores = {
  often: { moved: sweepQueue, settled: settleStaged, uploads: sweepUploads, read: sweepOcr },
  seldom: {
    recounted: sweepBoards,
    cleared: sweepFiles,
    imports: sweepImports,
    pictures: sweepPictures,
    loose: sweepLooseFiles,
    merges: sweepMerges,
    packed: async () => (await compact())?.documents ?? 0,
  },
} satisfies Record<string, Chores>

/** As long as the function may run. */
const LONGEST_S = 900

/**
 * Comes by every minute for what cannot wait and every 15 minutes for the rest; without a word it does everything. While an
 * earlier visit for the same is at work it leaves that to it.
 */
export async function handler(event?: { chores?: HowOften }): Promise<Record<string, number>> {
  const due: readonly HowOften[] = event?.chores ? [event.chores] : ['often', 'seldom']
  const done: Record<string, number> = {}
  const failed: unknown[] = []
  for (const each of due) await alone(`sweeper-${each}`, LONGEST_S, () => visit(chores[each], done, failed))
  log({ level: 'info', message: 'sweep', count: Object.values(done).reduce((sum, each) => sum + each, 0) })
  if (event?.chores !== 'often') log({ level: 'info', message: 'queue', ...(await queueState()) })
  if (failed.length > 0) throw new AggregateError(failed, 'chores of the sweeper')
  return done
}

async function visit(due: Chores, done: Record<string, number>, failed: unknown[]): Promise<void> {
  for (const [name, work] of Object.entries(due)) {
    try {
      done[name] = await work()
    } catch (error) {
      // One that fails does not keep the others from their turn.
      failed.push(error)
    }
  }
}
