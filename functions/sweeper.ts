import { log } from '../lib/log.ts'
import { sweepOcr } from '../lib/store/ocr.ts'
import { sweepQueue } from '../lib/store/queue-sweep.ts'
import { sweepUploads } from '../lib/store/uploads.ts'
import { tidy } from '../lib/table/large.ts'

/** Comes by every minute, moves what time alone has changed, and completes or clears away what was stopped in the middle. */
export async function handler(): Promise<{ moved: number; settled: number; ended: number }> {
  const moved = await sweepQueue()
  const settled = await tidy()
  const ended = (await sweepUploads()) + (await sweepOcr())
  log({ level: 'info', message: 'sweep', count: moved + settled + ended })
  return { moved, settled, ended }
}
