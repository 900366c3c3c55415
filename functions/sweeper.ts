import '../lib/domain/composition.ts'
import { log } from '../lib/base/telemetry/log.ts'
import { sweepImports } from '../lib/domain/imports/clean-up.ts'
import { sweepBoards } from '../lib/domain/leaderboard/sweep.ts'
import { sweepPictures } from '../lib/domain/pictures/files.ts'
import { sweepOcr } from '../lib/domain/projects/assets/ocr.ts'
import { sweepFiles } from '../lib/domain/projects/assets/sweep.ts'
import { sweepUploads } from '../lib/domain/projects/assets/uploads.ts'
import { sweepMerges } from '../lib/domain/projects/merge-sweep.ts'
import { loadQueueState } from '../lib/domain/review/queue-state.ts'
import { sweepQueue } from '../lib/domain/review/sweep.ts'
import { sweepLooseFiles } from '../lib/engines/bucket/index.ts'
import { compactIfDue } from '../lib/engines/search/index.ts'
import { recoverStaged, withLock } from '../lib/engines/table/immediate.ts'

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
    packed: compactIfDue,
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
  for (const each of due) await withLock(`sweeper-${each}`, LONGEST_S, () => visit(chores[each], done, failed))
  log({ level: 'info', message: 'sweep', count: Object.values(done).reduce((sum, each) => sum + each, 0) })
  if (event?.chores !== 'often') log({ level: 'info', message: 'queue', ...(await loadQueueState()) })
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
