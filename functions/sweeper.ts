import '../lib/effects/search-documents.ts'
import { sweepBoards } from '../lib/leaderboard/sweep.ts'
import { log } from '../lib/ops/log.ts'
import { sweepOcr } from '../lib/projects/assets/ocr.ts'
import { sweepFiles } from '../lib/projects/assets/sweep.ts'
import { sweepUploads } from '../lib/projects/assets/uploads.ts'
import { queueState } from '../lib/review/queue-state.ts'
import { sweepQueue } from '../lib/review/sweep.ts'
import { compact } from '../lib/search/model/compact.ts'
import { recoverStaged } from '../lib/table/two-phase/commit.ts'

type Chores = Readonly<Record<string, () => Promise<number>>>

/** Of what is large a visit does a part: others wait for their turn. */
const settleStaged = () => recoverStaged(performance.now() + 45_000)

/** What time alone asks for, by how often; each answers how many things it has dealt with, and is safe to repeat. */
const chores = {
  often: { moved: sweepQueue, settled: settleStaged, uploads: sweepUploads, read: sweepOcr },
  seldom: { recounted: sweepBoards, cleared: sweepFiles, packed: async () => (await compact())?.documents ?? 0 },
} satisfies Record<string, Chores>

/** Comes by every minute for what cannot wait and every 15 minutes for the rest; without a word it does everything. */
export async function handler(event?: { chores?: keyof typeof chores }): Promise<Record<string, number>> {
  const due: Chores = event?.chores ? chores[event.chores] : { ...chores.often, ...chores.seldom }
  const done: Record<string, number> = {}
  const failed: unknown[] = []
  for (const [name, work] of Object.entries(due)) {
    try {
      done[name] = await work()
    } catch (error) {
      // One that fails does not keep the others from their turn.
      failed.push(error)
    }
  }
  log({ level: 'info', message: 'sweep', count: Object.values(done).reduce((sum, each) => sum + each, 0) })
  if (event?.chores !== 'often') log({ level: 'info', message: 'queue', ...(await queueState()) })
  if (failed.length > 0) throw new AggregateError(failed, 'chores of the sweeper')
  return done
}
