import '../lib/domain/composition.ts'
import type { Context } from 'aws-lambda'
import { log } from '../lib/base/telemetry/log.ts'
import { continueImports } from '../lib/domain/imports/work.ts'

/** What is left of its time when it takes on no more. */
const SPARE_MS = 60_000
/** So long it stays after the end of a task, where it comes by the clock. */
const LINGER_MS = 5_000

/** Comes by every minute and works on imports: reads files, tries rows, runs them, decides on them, takes them back. */
export async function handler(_event?: unknown, context?: Pick<Context, 'getRemainingTimeInMillis'>) {
  const until = performance.now() + (context?.getRemainingTimeInMillis() ?? 900_000) - SPARE_MS
  const result = await continueImports(until, context ? LINGER_MS : 0)
  if (result.ended + result.running > 0) log({ level: 'info', message: 'import', count: result.ended })
  return result
}
