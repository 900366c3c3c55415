import '../lib/domain/composition.ts'
import type { Context } from 'aws-lambda'
import { log } from '../lib/base/telemetry/log.ts'
import { continueJobs } from '../lib/domain/projects/merge.ts'
import { recoverStaged } from '../lib/engines/table/immediate.ts'

/** What is left of its time when it takes on no more: a part, however long the table has no room for it, ends before. */
const SPARE_MS = 60_000

/** Comes by every minute and goes on with merges and rollbacks that no request waits for. Several at once take different ones. */
export async function handler(_event?: unknown, context?: Pick<Context, 'getRemainingTimeInMillis'>) {
  const until = performance.now() + (context?.getRemainingTimeInMillis() ?? 900_000) - SPARE_MS
  const result = await continueJobs(until)
  if (result.ended > 0) await recoverStaged(until)
  if (result.ended + result.running > 0) log({ level: 'info', message: 'merge', count: result.ended })
  return result
}
