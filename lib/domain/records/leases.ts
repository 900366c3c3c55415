import * as v from 'valibot'
import { nowSeconds } from '../../base/clock.ts'
import { checkAllowed, conflict, notFound } from '../../base/errors.ts'
import {
  acquireLease,
  getMany,
  itemAt,
  itemIn,
  releaseLease,
  type Stored,
  type UnitOfWork,
  type Write,
} from '../../engines/table/index.ts'
import { type Actor, mayDecideOn } from '../../platform/permissions.ts'
import { key } from '../../platform/table/keys.ts'
import { recordItem } from './items.ts'
import { isWaiting } from './queue-entry.ts'

/** A reviewer's lease on a waiting record. Others can still read the record, but only the holder can give a verdict. */
export type Lease = { held_by: string; username: string; until: string }

const LEASE_MINUTES = 30

const StoredLease = v.object({ held_by: v.string(), username: v.string(), expires_at: v.number() })

/** Returns the lease of a record among loaded items. Null if it is absent or has expired. */
export function leaseIn(found: ReadonlyMap<string, Stored>, entity_id: string): Lease | null {
  const stored = itemAt(found, key.lease(entity_id))
  return stored === undefined ? null : leaseOf(stored)
}

/** Reads a stored lease. Null if it has expired. */
export function leaseOf(stored: Stored): Lease | null {
  const lease = v.parse(StoredLease, stored)
  return lease.expires_at > nowSeconds() ? toLease(lease) : null
}

const toLease = ({ held_by, username, expires_at }: v.InferOutput<typeof StoredLease>): Lease => ({
  held_by,
  username,
  until: new Date(expires_at * 1000).toISOString(),
})

/**
 * The write that ends the reviewer's own lease; each verdict includes it. Fails with `conflict` while another reviewer
 * holds one.
 */
export const endLease = (entity_id: string, reviewer: Actor): Write =>
  releaseLease(key.lease(entity_id), reviewer.id, () => conflict('Another reviewer has claimed this.'))

/**
 * Takes or renews the lease on a waiting record. Fails with `conflict` while another reviewer holds it. The message names that reviewer and
 * the end of the lease, unless the lease was taken this moment. Fails with `refused` on the reviewer's own contribution.
 */
export async function claimRecord(unit: UnitOfWork, entity_id: string, reviewer: Actor): Promise<Lease> {
  const contributor_id = await checkFree(entity_id, reviewer)
  checkAllowed(mayDecideOn(reviewer, [contributor_id]))
  const held = { held_by: reviewer.id, username: reviewer.username, expires_at: nowSeconds() + LEASE_MINUTES * 60 }
  const takenByAnother = () => conflict('Another reviewer has claimed this just now.')
  unit.add([acquireLease(key.lease(entity_id), held, takenByAnother)])
  return toLease(held)
}

/** Gives the lease back. It also succeeds without a lease, and fails with `conflict` while another reviewer holds it. */
export async function releaseRecord(unit: UnitOfWork, entity_id: string, reviewer: Actor): Promise<void> {
  await checkFree(entity_id, reviewer)
  unit.add([endLease(entity_id, reviewer)])
}

/** Returns the contributor. Fails if the record does not wait, or if another reviewer holds the lease. */
async function checkFree(entity_id: string, reviewer: Actor): Promise<string> {
  const found = await getMany([key.head(entity_id), key.lease(entity_id)], true)
  const record = itemIn(found, recordItem, { entity_id })
  if (!record || !isWaiting(record)) throw notFound()
  const lease = leaseIn(found, entity_id)
  if (lease && lease.held_by !== reviewer.id) throw conflict(`Claimed by ${lease.username} until ${lease.until}.`)
  return record.contributor_id
}
