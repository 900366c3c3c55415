import * as v from 'valibot'
import { later, now } from '../clock.ts'
import { config } from '../config.ts'
import { isConflict, isDone, noneIf } from '../errors.ts'
import { cut } from '../matching/cut.ts'
import { amended, defineItem, parse, put, type Write } from '../table/item.ts'
import { key } from '../table/keys.ts'
import { get, walk } from '../table/read.ts'
import { retryOnConflict } from '../table/retry.ts'
import type { Images } from '../table/stream.ts'
import { transact } from '../table/write.ts'
import { project, projectActivity } from './items.ts'

/**
 * What is to be sent to the review webhook. The projector only puts it here, so that a receiver who is slow or gone
 * holds up nothing else; a function of its own sends what is due, waits longer after each failure, and gives up in the end.
 */
const Delivery = v.object({
  /** The activity's that it tells of, so that what is heard again is put here once. */
  id: v.string(),
  event: v.string(),
  /** The exact text that is signed and sent, at every attempt. */
  body: v.string(),
  state: v.picklist(['waiting', 'delivered', 'dead']),
  attempts: v.number(),
  next_at: v.string(),
  last_error: v.string(),
  created_at: v.string(),
  /** The hook of a person's that it is for; null for the review webhook. */
  hook_id: v.optional(v.nullable(v.string()), null),
  version: v.number(),
})
export type Delivery = v.InferOutput<typeof Delivery>

const KEPT = 30 * 86_400
const delivery = defineItem({
  type: 'delivery',
  schema: Delivery,
  key: ({ id }: { id: string }) => key.delivery(id),
  indexes: (it) => ({
    ...(it.state !== 'delivered' && { gsi2: { pk: `DELIVERY#${it.state}`, sk: `${it.next_at}#${it.id}` } }),
    ...(it.hook_id !== null && { gsi3: { pk: deliveriesOf(it.hook_id), sk: `${it.created_at}#${it.id}` } }),
  }),
  expires: (it) => (it.state === 'waiting' ? undefined : Math.floor(Date.parse(it.created_at) / 1000) + KEPT),
})

const deliveriesOf = (hook: string) => `DELIVERY#OF#${hook}`

/** A message for a hook, which is sent as soon as the next visit comes by. */
export function deliveryFor(hook_id: string, { id, event, body }: Pick<Delivery, 'id' | 'event' | 'body'>): Write {
  const at = now()
  const box = { state: 'waiting' as const, attempts: 0, next_at: at, last_error: '', created_at: at, version: 1 }
  return put(delivery, { id, event, body, hook_id, ...box }, undefined)
}

/** What was sent to a hook or is to be, newest first, for as long as it is kept. One call. */
export const sentTo = async (hook: string, limit: number): Promise<Delivery[]> =>
  (await walk({ index: 'gsi3', pk: deliveriesOf(hook), forward: false, limit })).map((item) => parse(delivery, item))

/** One of the deliveries to a hook. */
export async function loadDelivery(id: string, hook: string): Promise<Delivery | undefined> {
  const found = await get(delivery, { id })
  return found?.hook_id === hook ? found : undefined
}

/** Sends a delivery again with the next visit, from the first attempt on. */
export const sendAgain = (id: string): Promise<Delivery | undefined> =>
  retryOnConflict(async () => {
    const old = await get(delivery, { id })
    if (!old) return { result: undefined, writes: [] }
    const next = amended<Delivery>(old, { state: 'waiting', attempts: 0, next_at: now(), last_error: '' })
    return { result: next, writes: [put(delivery, next, old)] }
  })

/** Puts into the box that a project waits for review, once however often it is heard. Without a receiver there is nothing to do. */
export async function announce({ before, after }: Images): Promise<void> {
  if (before || !after || config.REVIEW_WEBHOOK_URL === '') return
  const it = parse(projectActivity, after)
  if (it.action !== 'state_changed' || it.payload.to !== 'in_review') return
  const about = await get(project, { id: it.project_id })
  if (!about) return
  const at = now()
  const made: Delivery = {
    id: it.id,
    event: 'project.in_review',
    body: JSON.stringify({ project_id: about.id, slug: about.slug, title: about.title }),
    ...{ state: 'waiting', attempts: 0, next_at: at, last_error: '', created_at: at, version: 1 },
    hook_id: null,
  }
  await transact([put(delivery, made, undefined)]).catch(noneIf(isConflict))
}

/** The pause after each failure, in seconds. After the last of them it is given up. */
const pauses = [30, 120, 600, 3600, 14_400] as const
/** How many are sent at a time, and at most in one visit. */
const AT_ONCE = 8
const MOST = 80
/** Longer than an attempt takes: who is stopped in the middle of one is followed after that. */
const LEASE = 30

/** Sends what is due. Answers how many were delivered, will be tried again, and were given up. */
export async function deliverDue(send: (it: Delivery) => Promise<void>) {
  const result = { delivered: 0, failed: 0, dead: 0 }
  const items = await walk({ index: 'gsi2', pk: 'DELIVERY#waiting', forward: true, limit: MOST })
  const due = items.map((item) => parse(delivery, item)).filter((it) => it.next_at <= now())
  for (let start = 0; start < due.length; start += AT_ONCE) {
    const ended = await Promise.all(due.slice(start, start + AT_ONCE).map((it) => deliver(it, send)))
    for (const end of ended) if (end) result[end] += 1
  }
  return result
}

async function deliver(found: Delivery, send: (it: Delivery) => Promise<void>) {
  const old = await get(delivery, found)
  if (old?.state !== 'waiting' || old.next_at > now()) return undefined
  // Counted before it is made, so that an attempt that is never heard of again counts too.
  const begun = amended<Delivery>(old, { attempts: old.attempts + 1, next_at: later(LEASE) })
  if (!(await isDone(transact([put(delivery, begun, old)])))) return undefined
  try {
    await send(begun)
  } catch (error) {
    const last_error = error instanceof Error ? cut(error.message, 200) : 'unknown'
    const pause = pauses[begun.attempts - 1]
    const next = pause === undefined ? { state: 'dead' as const, next_at: now() } : { next_at: later(pause) }
    await transact([put(delivery, amended<Delivery>(begun, { ...next, last_error }), begun)]).catch(noneIf(isConflict))
    return pause === undefined ? 'dead' : 'failed'
  }
  await transact([put(delivery, amended<Delivery>(begun, { state: 'delivered' }), begun)]).catch(noneIf(isConflict))
  return 'delivered'
}

/** Those that were given up, for a person to look at; newest first. */
export const dead = async (limit = 100): Promise<Delivery[]> =>
  (await walk({ index: 'gsi2', pk: 'DELIVERY#dead', forward: false, limit })).map((item) => parse(delivery, item))
