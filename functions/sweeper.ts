import { log } from '../lib/log.ts'
import { sweepQueue } from '../lib/store/queue-sweep.ts'

/** Comes by every 15 minutes and moves what time alone has changed. */
export async function handler(): Promise<{ moved: number }> {
  const moved = await sweepQueue()
  log({ level: 'info', message: 'sweep', count: moved })
  return { moved }
}
