import '../lib/domain/composition.ts'
import type { Context } from 'aws-lambda'
import { log } from '../lib/base/telemetry/log.ts'
import { continueJobs } from '../lib/domain/projects/merge.ts'
import { recoverStaged } from '../lib/engines/table/two-phase/index.ts'
import { worker } from '../lib/platform/worker.ts'

/** How long before its time limit the function stops beginning parts, in milliseconds. A part takes less, even if the table is slow. */
const SPARE_MS = 60_000

/**
 * Runs every second minute. Continues large merges and rollbacks, for which no request waits. Several processes at once take different
 * merges and rollbacks.
 */
export const handler = worker(async (_event?: unknown, context?: Pick<Context, 'getRemainingTimeInMillis'>) => {
  const until = performance.now() + (context?.getRemainingTimeInMillis() ?? 900_000) - SPARE_MS
  const result = await continueJobs(until)
  if (result.ended > 0) await recoverStaged(until)
  if (result.ended + result.running > 0) log({ level: 'info', message: 'merge', count: result.ended })
  return result
})
