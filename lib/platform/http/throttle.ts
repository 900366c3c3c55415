import { gzipSync } from 'node:zlib'
import * as v from 'valibot'
import { nowSeconds } from '../../base/clock.ts'
import type { Rate } from '../../base/config.ts'
import { inProgress, tooMany } from '../../base/errors.ts'
import { addBelow, defineItem, get, type Key, put, type UnitOfWork, type Write } from '../../engines/table/index.ts'
import { key } from '../table/keys.ts'

/** Hits that have been counted: where, and until when that is kept. */
type Counted = { place: Key; limit: number; expires_at: number; hits: number }

/**
 * Counts hits of `who`, one by default, in a scope and fails with `tooMany` when the rate is used up. Exact across processes: one
 * conditional update. Windows are fixed: they begin at multiples of the rate's period. Answers what it has counted.
 */
export async function throttle(scope: string, who: string, { limit, seconds }: Rate, hits = 1): Promise<Counted> {
  const at = nowSeconds()
  const window = at - (at % seconds)
  const counted = { place: key.rate(scope, who, window), limit, expires_at: window + 2 * seconds, hits }
  if (!(await addBelow(counted.place, limit, counted.expires_at, hits))) throw tooMany(window + seconds - at)
  return counted
}

/** Counts a unit of work against a rate, as `throttle` does. A unit that is not committed gives its hits back. */
export async function throttleUnit(unit: UnitOfWork, scope: string, who: string, rate: Rate, hits = 1): Promise<void> {
  await unit.once(
    `rate of ${scope}`,
    () => throttle(scope, who, rate, hits),
    ({ place, limit, expires_at }) => addBelow(place, limit, expires_at, -hits),
  )
}

const Reply = v.object({
  user_id: v.string(),
  key: v.string(),
  /** What was asked, so that a key means one request. */
  digest: v.string(),
  status: v.number(),
  /** As it was sent; `packed`: with gzip, in base64. */
  body: v.string(),
  packed: v.optional(v.literal(true)),
  until: v.number(),
  version: v.number(),
})
export type KeptReply = v.InferOutput<typeof Reply>
const kept = defineItem({
  type: 'reply',
  schema: Reply,
  key: (it: { user_id: string; key: string }) => key.reply(it.user_id, it.key),
  expires: (it) => it.until,
})

/** What a request that may come twice adds to its transaction: the reply that the second one gets. */
export type KeepReply = (reply: { status: number; body: unknown }) => readonly Write[]

const DAY_S = 86_400

/** An item holds 400 KB, and a record alone may have 150 KB of values; and of a transaction each kilobyte costs two units. */
const WORTH_PACKING = 2000
const packed = (body: string): Pick<KeptReply, 'body' | 'packed'> =>
  body.length < WORTH_PACKING ? { body } : { body: gzipSync(body).toString('base64'), packed: true }

/** The reply to the request that a user has sent under a key in the last 24 hours, and how the next one is kept. */
export async function replyUnder(
  user_id: string,
  name: string,
  digest: string,
): Promise<{ before: KeptReply | undefined; once: KeepReply }> {
  const old = await get(kept, { user_id, key: name })
  return {
    before: old && old.until > nowSeconds() ? old : undefined,
    once: ({ status, body }) => {
      const version = (old?.version ?? 0) + 1
      const next = {
        user_id,
        key: name,
        digest,
        status,
        ...packed(JSON.stringify(body)),
        until: nowSeconds() + DAY_S,
        version,
      }
      return [put(kept, next, old, inProgress)]
    },
  }
}
