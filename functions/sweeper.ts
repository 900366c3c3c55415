import { log } from '../lib/log.ts'
import { sweepBoards } from '../lib/store/board-sweep.ts'
import { sweepQueue } from '../lib/store/queue-sweep.ts'

/** Comes by every 15 minutes and moves what time alone has changed. */
export async function handler(): Promise<{ moved: number; recounted: number }> {
  const moved = await sweepQueue()
  log({ level: 'info', message: 'sweep', count: moved })
  const recounted = await sweepBoards()
  log({ level: 'info', message: 'recount', count: recounted })
  return { moved, recounted }
}
