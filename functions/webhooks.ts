import { config } from '../lib/base/config.ts'
import { log } from '../lib/base/telemetry/log.ts'
import { fillBoxes, sendToHook } from '../lib/domain/hooks/deliver.ts'
import { type Delivery, deliverDue } from '../lib/domain/webhooks/deliveries.ts'
import { sendMessage } from '../lib/domain/webhooks/send.ts'
import { withLock } from '../lib/engines/table/immediate.ts'

/** As long as the function may run. */
const LONGEST_S = 60

/** Comes by every minute, takes for hooks what they are to hear of, and sends what is due to them and to the review webhook. */
export async function handler(): Promise<{ delivered: number; failed: number; dead: number }> {
  const visit = async () => {
    await fillBoxes()
    return deliverDue(sendOne)
  }
  // One at a time, so that nothing is sent twice for no reason.
  const result = (await withLock('webhooks', LONGEST_S, visit)) ?? { delivered: 0, failed: 0, dead: 0 }
  const { delivered, failed, dead } = result
  if (delivered + failed + dead > 0)
    log({
      level: dead > 0 ? 'error' : 'info',
      message: 'webhook',
      count: delivered,
      webhook_failures: failed + dead,
    })
  return result
}

/** What waits for a review webhook that is set no more fails until it is given up. */
async function sendOne(it: Delivery): Promise<void> {
  if (it.hook_id !== null) return sendToHook(it)
  if (config.REVIEW_WEBHOOK_URL === '') throw new Error('no address is set')
  return sendMessage(config.REVIEW_WEBHOOK_URL, it)
}
