import '../lib/domain/composition.ts'
import type { Context } from 'aws-lambda'
import { log } from '../lib/base/telemetry/log.ts'
import { continueImports } from '../lib/domain/imports/work.ts'
import { worker } from '../lib/platform/worker.ts'

/** How long before its time limit the function stops taking work, in milliseconds. */
const SPARE_MS = 60_000
/** Milliseconds that the function waits for the next task if a schedule has called it. */
const LINGER_MS = 5_000

/** Runs every other minute. Works on imports: it reads their files, tries and runs their rows, decides on rows, or takes them back. */
export const handler = worker(async (_event?: unknown, context?: Pick<Context, 'getRemainingTimeInMillis'>) => {
  const until = performance.now() + (context?.getRemainingTimeInMillis() ?? 900_000) - SPARE_MS
  const result = await continueImports(until, context ? LINGER_MS : 0)
  if (result.ended + result.running > 0) log({ level: 'info', message: 'import', count: result.ended })
  return result
})
