import { config } from '../lib/config.ts'
import { log } from '../lib/log.ts'
import { deliverDue } from '../lib/store/deliveries.ts'
import { send } from '../lib/webhook.ts'

/** Comes by every minute and sends what is due to the review webhook. Without an address there is nothing to send. */
export async function handler(): Promise<{ delivered: number; failed: number; dead: number }> {
  if (config.REVIEW_WEBHOOK_URL === '') return { delivered: 0, failed: 0, dead: 0 }
  const result = await deliverDue((it) => send(config.REVIEW_WEBHOOK_URL, it))
  if (result.delivered > 0) log({ level: 'info', message: 'webhook', count: result.delivered })
  if (result.failed > 0) log({ level: 'info', message: 'webhook failed', count: result.failed })
  if (result.dead > 0) log({ level: 'error', message: 'webhook given up', count: result.dead })
  return result
}
