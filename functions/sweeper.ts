import { log } from '../lib/log.ts'
import { sweepQueue } from '../lib/store/queue-sweep.ts'
import { tidy } from '../lib/table/large.ts'

/** Comes by every minute, moves what time alone has changed, and completes or clears away what was stopped in the middle. */
export async function handler(): Promise<{ moved: number; settled: number }> {
  const moved = await sweepQueue()
  const settled = await tidy()
  log({ level: 'info', message: 'sweep', count: moved + settled })
  return { moved, settled }
}
