import { config } from '../lib/config.ts'
import { log } from '../lib/ops/log.ts'
import { send } from '../lib/projects/webhook.ts'
import { deliverDue } from '../lib/projects/webhook-deliveries.ts'
import { alone } from '../lib/table/alone.ts'

/** As long as the function may run. */
const LONGEST_S = 60

/** Comes by every minute and sends what is due to the review webhook. Without an address there is nothing to send. */
export async function handler(): Promise<{ delivered: number; failed: number; dead: number }> {
  if (config.REVIEW_WEBHOOK_URL === '') return { delivered: 0, failed: 0, dead: 0 }
  const visit = () => deliverDue((it) => send(config.REVIEW_WEBHOOK_URL, it))
  // One at a time, so that nothing is sent twice for no reason.
  const result = (await alone('webhooks', LONGEST_S, visit)) ?? { delivered: 0, failed: 0, dead: 0 }
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
