import type { Context } from 'aws-lambda'
import { config } from '../lib/base/config.ts'
import { log } from '../lib/base/telemetry/log.ts'
import { fillBoxes, sendToHook } from '../lib/domain/hooks/deliver.ts'
import { type Delivery, deliverDue } from '../lib/domain/webhooks/deliveries.ts'
import { sendMessage } from '../lib/domain/webhooks/send.ts'
import { withLock } from '../lib/engines/table/immediate.ts'
import { worker } from '../lib/platform/worker.ts'

/** The time limit of the function, in seconds. */
const LONGEST_S = 60

/** Milliseconds before the time limit at which no further message is begun: sending one takes up to five seconds. */
const SPARE_MS = 10_000

/**
 * Runs every minute. Makes messages of new changes for hooks, and sends the messages that are due, those of the review webhook too. If
 * some messages could not be made, it sends all the same, and fails after that.
 */
export const handler = worker(async (_event?: unknown, context?: Pick<Context, 'getRemainingTimeInMillis'>) => {
  const until = performance.now() + (context?.getRemainingTimeInMillis() ?? LONGEST_S * 1000) - SPARE_MS
  const visit = async () => {
    const [filled] = await Promise.allSettled([fillBoxes(until)])
    return { filled, result: await deliverDue(sendOne, until) }
  }
  // Only one visit runs at a time, so that no two visits send the same message.
  const { filled, result } = (await withLock('webhooks', LONGEST_S, visit)) ?? {
    filled: undefined,
    result: { delivered: 0, failed: 0, dead: 0 },
  }
  const { delivered, failed, dead } = result
  if (delivered + failed + dead > 0)
    log({
      level: dead > 0 ? 'error' : 'info',
      message: 'webhook',
      count: delivered,
      webhook_failures: failed + dead,
    })
  if (filled?.status === 'rejected') throw filled.reason
  return result
})

/** If the review webhook is not configured any more, its waiting messages fail until they are given up. */
async function sendOne(it: Delivery): Promise<void> {
  if (it.hook_id !== null) return sendToHook(it)
  if (config.REVIEW_WEBHOOK_URL === '') throw new Error('no address is set')
  return sendMessage(config.REVIEW_WEBHOOK_URL, it)
}
