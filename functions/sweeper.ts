import { log } from '../lib/log.ts'
import { compact } from '../lib/search/compact.ts'
import { queueState } from '../lib/store/queue-state.ts'
import { sweepQueue } from '../lib/store/queue-sweep.ts'

/** Comes by every 15 minutes, moves what time alone has changed, says how the queue stands, and packs up what search has learned. */
export async function handler(): Promise<{ moved: number; packed: number }> {
  const moved = await sweepQueue()
  log({ level: 'info', message: 'sweep', count: moved })
  log({ level: 'info', message: 'queue', ...(await queueState()) })
  const packed = (await compact())?.documents ?? 0
  if (packed > 0) log({ level: 'info', message: 'search snapshot', count: packed })
  return { moved, packed }
}
