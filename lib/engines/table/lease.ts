import { PutCommand } from '@aws-sdk/lib-dynamodb'
import type * as v from 'valibot'
import { later, newId, now, nowSeconds } from '../../base/clock.ts'
import type { Problem } from '../../base/errors.ts'
import { db, isConditionFailed, TableName } from './client.ts'
import { type ItemType, put, type Write } from './item.ts'
import { type Key, key } from './keys.ts'
import type { UnitOfWork } from './unit-of-work.ts'

// A lease is a right to work on something that ends by itself, even if its holder has died. It comes in three forms:
//
//   withLock                       one process at a time does this work, whatever the item: sweepers, mailers, rebuilds
//   acquireLease, releaseLease     an item of its own, written with the other writes of a unit: a claimed record
//   isHeld, holdItem, releaseItem  the member `held_until` of an item that one worker at a time may change: an upload

/** The holder of a lease, and when the lease ends, in seconds since 1970. Other members are stored with it. */
export type LeaseHolder = { held_by: string; expires_at: number; type?: 'lease' | 'reservation' }

/** A holder with a new id. Only who has this holder can renew or release its lease. */
export const newHolder = (seconds: number): LeaseHolder => ({ held_by: newId(), expires_at: nowSeconds() + seconds })

/**
 * The write that takes or renews a lease. The transaction fails with `otherwise` while another holder has it.
 * Example: two reviewers claim one record; the second gets 409.
 */
export const acquireLease = (at: Key, holder: LeaseHolder, otherwise: () => Problem): Write => ({
  action: { Put: { TableName, Item: { type: 'lease', ...holder, ...at }, ...unlessHeld('held_by', holder.held_by) } },
  counts: {},
  otherwise,
})

/**
 * The write that gives a lease back. It also succeeds if the lease is absent or has expired. The transaction fails with `otherwise`, by
 * default `conflict`, while another holder or another item is under the key.
 */
export const releaseLease = (at: Key, held_by: string, otherwise?: () => Problem): Write => ({
  action: { Delete: { TableName, Key: at, ...unlessHeld('held_by', held_by) } },
  counts: {},
  otherwise,
})

/**
 * Does some work while no other process does work under the same lock. Returns undefined, without doing it, if another process is
 * at work. A process that dies keeps the lock for `seconds`, so choose the longest time that the work may take. `wasLeft` is true if
 * the last holder died with the lock. `lock` is a name, or the key of an item that serves as the lock.
 */
// prove: guarded-lock
export async function withLock<T>(
  lock: string | Key,
  seconds: number,
  work: (wasLeft: boolean) => Promise<T>,
): Promise<T | undefined> {
  const at = typeof lock === 'string' ? key.lock(lock) : lock
  const holder = newId()
  const taken = await writeLock(at, holder, nowSeconds() + seconds)
  if (!taken) return undefined
  try {
    return await work(taken.wasLeft)
  } finally {
    // If this fails, the lock expires. After `seconds` it may belong to another process: then this changes nothing.
    await writeLock(at, holder, 0).catch(() => undefined)
  }
}

/**
 * Writes the lock. Returns undefined if another process has it. `wasLeft`: the last holder never gave it back. This is a plain write, at
 * half the cost of a transaction.
 */
async function writeLock(at: Key, holder: string, expires_at: number): Promise<{ wasLeft: boolean } | undefined> {
  const Item = { ...at, type: 'lock', holder, expires_at }
  try {
    const { Attributes: before } = await db.send(
      new PutCommand({ TableName, Item, ReturnValues: 'ALL_OLD', ...unlessHeld('holder', holder) }),
    )
    return { wasLeft: Number(before?.expires_at ?? 0) > 0 }
  } catch (error) {
    if (isConditionFailed(error)) return undefined
    throw error
  }
}

/** Locks name their owner in `holder`, leases in `held_by`. An item under this key with neither owner nor expiry is never overwritten. */
const unlessHeld = (owner: 'holder' | 'held_by', me: string) => ({
  // prove: lease-condition
  ConditionExpression: `attribute_not_exists(pk) OR ${owner} = :me OR expires_at <= :now`,
  ExpressionAttributeValues: { ':me': me, ':now': nowSeconds() },
})

type Held = { held_until: string | null }
type HeldSchema = v.GenericSchema<unknown, Held & { version: number }>

/** Whether a worker holds this item at this moment. */
export const isHeld = ({ held_until }: Held): boolean => held_until !== null && held_until > now()

/** The end of a lease that begins now, as `held_until` stores it. */
export const heldFor = (seconds: number): string => later(seconds)

/**
 * Adds a write to the unit: it holds the item for `seconds` and makes `changes`. Returns the item as it then is.
 * Fails with `busy` while a worker holds the item. The unit fails with `busy` if another worker takes it first.
 */
export function holdItem<Id, S extends HeldSchema>(
  unit: UnitOfWork,
  item: ItemType<Id, S>,
  old: v.InferOutput<S> & Id,
  seconds: number,
  busy: () => Problem,
  changes: Partial<v.InferOutput<S>> = {},
): v.InferOutput<S> & Id {
  if (isHeld(old)) throw busy()
  const next = { ...old, ...changes, held_until: heldFor(seconds), version: old.version + 1 }
  unit.add([put(item, next, old, busy)])
  return next
}

/** Adds the write that frees the item. The unit fails with `conflict` if another worker has changed the item since. */
export function releaseItem<Id, S extends HeldSchema>(
  unit: UnitOfWork,
  item: ItemType<Id, S>,
  old: v.InferOutput<S> & Id,
): void {
  unit.add([put(item, { ...old, held_until: null, version: old.version + 1 }, old)])
}
