import { log } from '../lib/log.ts'
import { queueState } from '../lib/store/queue-state.ts'
import { sweepQueue } from '../lib/store/queue-sweep.ts'

/** Comes by every 15 minutes, moves what time alone has changed, and says how the queue stands. */
export async function handler(): Promise<{ moved: number }> {
  const moved = await sweepQueue()
  log({ level: 'info', message: 'sweep', count: moved })
  log({ level: 'info', message: 'queue', ...(await queueState()) })
  return { moved }
}
