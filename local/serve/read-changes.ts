import { log } from '../../lib/base/telemetry/log.ts'
import '../../lib/domain/composition.ts'
import { replay } from '../../lib/domain/effects/replay.ts'
import { noteProgress } from '../../lib/platform/health/stream-lag.ts'
import { worker } from '../../lib/platform/worker.ts'

/** How far a visit looks back before the last one, in milliseconds: clocks differ, and a write takes its time. */
const OVERLAP_MS = 60_000

/**
 * Follows changes without a stream: reads the whole table, and applies the effects of all items that were written since the last visit, with
 * their messages. Each effect may be applied twice. What was deleted is not seen: `npm run recount` mends that.
 */
export const handler = worker(async ({ since }: { since: number }): Promise<{ until: number }> => {
  const until = Date.now()
  const count = await replay({ since: new Date(since - OVERLAP_MS).toISOString(), messages: true })
  await noteProgress(until)
  if (count > 0) log({ level: 'info', message: 'projection', projected: count, lag_ms: until - since })
  return { until }
})
