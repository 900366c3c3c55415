import * as v from 'valibot'
import { later, now } from '../../base/clock.ts'
import { isConflict, isDone, noneIf } from '../../base/errors.ts'
import { cut } from '../../engines/matching/index.ts'
import { commitWrites } from '../../engines/table/immediate.ts'
import {
  defineItem,
  get,
  nextTake,
  parse,
  put,
  type UnitOfWork,
  type Write,
  walk,
  withNextVersion,
  workOnJobs,
} from '../../engines/table/index.ts'
import { key } from '../../platform/table/keys.ts'

/**
 * A stored message to a receiver. `functions/webhooks.ts` sends it, so a slow receiver delays no request. Pauses grow after each
 * failure. After the sixth failed attempt the delivery is `dead`. So is a delivery on which three senders in a row died.
 */
const Delivery = v.object({
  /** The sender chooses it. A second message with the same id is refused. */
  id: v.string(),
  event: v.string(),
  /** The exact text that is signed and sent, at every attempt. */
  body: v.string(),
  state: v.picklist(['waiting', 'delivered', 'dead']),
  attempts: v.number(),
  /** How many senders in a row took it and did not finish. See lib/engines/table/takes.ts. */
  takes: v.optional(v.number(), 0),
  next_at: v.string(),
  last_error: v.string(),
  created_at: v.string(),
  /** The hook that gets it; null for the review webhook. */
  hook_id: v.optional(v.nullable(v.string()), null),
  version: v.number(),
})
export type Delivery = v.InferOutput<typeof Delivery>

/** Seconds for which a delivery that was sent or is dead is kept: 30 days. */
const DELIVERY_LIFETIME_S = 30 * 86_400
const delivery = defineItem({
  type: 'delivery',
  schema: Delivery,
  key: ({ id }: { id: string }) => key.delivery(id),
  indexes: (it) => ({
    ...(it.state !== 'delivered' && { gsi2: { pk: `DELIVERY#${it.state}`, sk: `${it.next_at}#${it.id}` } }),
    ...(it.hook_id !== null && { gsi3: { pk: deliveriesOf(it.hook_id), sk: `${it.created_at}#${it.id}` } }),
  }),
  expires: (it) =>
    it.state === 'waiting' ? undefined : Math.floor(Date.parse(it.created_at) / 1000) + DELIVERY_LIFETIME_S,
})

const deliveriesOf = (hook: string) => `DELIVERY#OF#${hook}`

/**
 * Builds the write that stores a message. The next run sends it. `hook_id` is null for the review webhook. The transaction fails
 * with `conflict` if a delivery with this id exists.
 */
export const deliveryFor = (hook_id: string | null, message: Message): Write =>
  put(delivery, newDelivery(hook_id, message), undefined)

/** Builds the write that stores a message which could not be composed. It is never sent; `last_error` says why. */
export const deadDelivery = (hook_id: string, message: Message, last_error: string): Write =>
  put(delivery, { ...newDelivery(hook_id, message), state: 'dead', last_error }, undefined)

type Message = Pick<Delivery, 'id' | 'event' | 'body'>

function newDelivery(hook_id: string | null, { id, event, body }: Message): Delivery {
  const at = now()
  return {
    id,
    event,
    body,
    hook_id,
    state: 'waiting',
    attempts: 0,
    takes: 0,
    next_at: at,
    last_error: '',
    created_at: at,
    version: 1,
  }
}

/** Lists the deliveries to a hook, newest first: sent, waiting and dead ones of the last 30 days. One call. */
export const listDeliveriesTo = async (hook: string, limit: number): Promise<Delivery[]> =>
  (await walk({ index: 'gsi3', pk: deliveriesOf(hook), forward: false, limit })).map((item) => parse(delivery, item))

/** Makes a delivery due now, with its attempts counted from 0 again. Undefined if the hook has no delivery with this id. */
export async function sendAgain(unit: UnitOfWork, id: string, hook: string): Promise<Delivery | undefined> {
  unit.retryOn('conflict')
  const old = await get(delivery, { id })
  if (old?.hook_id !== hook) return undefined
  const fresh = { state: 'waiting' as const, attempts: 0, takes: 0, next_at: now(), last_error: '' }
  const next = withNextVersion<Delivery>(old, fresh)
  unit.add([put(delivery, next, old)])
  return next
}

/** Seconds to wait after each failure. After one more failure the delivery is `dead`. */
const pauses = [30, 120, 600, 3600, 14_400] as const
/** Deliveries that are sent in parallel. */
const SENT_AT_ONCE = 8
/** The most deliveries of one run. */
const MOST_SENT = 80
/** Seconds, longer than an attempt takes. If a process dies during an attempt, the delivery is due again after this time. */
const LEASE_S = 30

/**
 * Sends the deliveries that are due, until `until`, in milliseconds of `performance.now()`. Returns how many were delivered, how many
 * failed and will be tried again, and how many are dead now.
 */
export async function deliverDue(send: (it: Delivery) => Promise<void>, until: number) {
  const counts = { delivered: 0, failed: 0, dead: 0 }
  const items = await walk({ index: 'gsi2', pk: 'DELIVERY#waiting', forward: true, limit: MOST_SENT })
  const due = items.map((item) => parse(delivery, item)).filter((it) => it.next_at <= now())
  const ends = await workOnJobs(due, SENT_AT_ONCE, until, (it) => deliver(it, send))
  for (const end of ends) if (end) counts[end] += 1
  return counts
}

async function deliver(read: Delivery, send: (it: Delivery) => Promise<void>) {
  const old = await get(delivery, read)
  if (old?.state !== 'waiting' || old.next_at > now()) return undefined
  // The attempt is counted before it begins, so that it is counted even if the process dies in the middle.
  const takes = nextTake(old.takes)
  if (takes === undefined) return giveUp(old)
  const begun = withNextVersion<Delivery>(old, { attempts: old.attempts + 1, takes, next_at: later(LEASE_S) })
  if (!(await isDone(commitWrites([put(delivery, begun, old)])))) return undefined
  try {
    await send(begun)
  } catch (error) {
    const last_error = error instanceof Error ? cut(error.message, 200) : 'unknown'
    const pause = pauses[begun.attempts - 1]
    const next = pause === undefined ? { state: 'dead' as const, next_at: now() } : { next_at: later(pause) }
    await commitWrites([
      put(delivery, withNextVersion<Delivery>(begun, { ...next, last_error, takes: 0 }), begun),
    ]).catch(noneIf(isConflict))
    return pause === undefined ? 'dead' : 'failed'
  }
  await commitWrites([put(delivery, withNextVersion<Delivery>(begun, { state: 'delivered', takes: 0 }), begun)]).catch(
    noneIf(isConflict),
  )
  return 'delivered'
}

/** Makes a delivery `dead` on which three senders died. Undefined if another run was faster. */
async function giveUp(old: Delivery) {
  const ended = withNextVersion<Delivery>(old, { state: 'dead', next_at: now(), last_error: SENDER_ENDED })
  return (await isDone(commitWrites([put(delivery, ended, old)]))) ? ('dead' as const) : undefined
}

const SENDER_ENDED = 'The process that sent this ended three times.'

/** Lists dead deliveries for operators, newest first. */
export const listDeadDeliveries = async (limit = 100): Promise<Delivery[]> =>
  (await walk({ index: 'gsi2', pk: 'DELIVERY#dead', forward: false, limit })).map((item) => parse(delivery, item))
