import { log } from '../lib/log.ts'
import { compact } from '../lib/search/compact.ts'
import { sweepBoards } from '../lib/store/board-sweep.ts'
import { sweepOcr } from '../lib/store/ocr.ts'
import { sweepFiles } from '../lib/store/project-files.ts'
import { queueState } from '../lib/store/queue-state.ts'
import { sweepQueue } from '../lib/store/queue-sweep.ts'
import { sweepUploads } from '../lib/store/uploads.ts'
import { tidy } from '../lib/table/large.ts'

type Chores = Readonly<Record<string, () => Promise<number>>>

/** What time alone asks for, by how often; each answers how many things it has dealt with, and is safe to repeat. */
const chores = {
  often: { moved: sweepQueue, settled: tidy, uploads: sweepUploads, read: sweepOcr },
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
