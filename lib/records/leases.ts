import * as v from 'valibot'
import { nowSeconds } from '../clock.ts'
import { commitWithAnswer } from '../commit.ts'
import { checkAllowed, conflict, notFound } from '../errors.ts'
import { type Actor, mayDecideOn } from '../permissions.ts'
import { acquireLease, releaseLease, type Write } from '../table/item.ts'
import { key } from '../table/keys.ts'
import { getMany, itemAt, itemIn, type Stored } from '../table/read.ts'
import { recordItem } from './items.ts'
import { waits } from './queue-entry.ts'

/** Who works on a waiting record right now, and until when. Others go on reading it; only the verdict is the holder's. */
export type Lease = { held_by: string; username: string; until: string }

const MINUTES = 30

const Held = v.object({ held_by: v.string(), username: v.string(), expires_at: v.number() })

/** The lease among the items that were read together with other things; null when there is none, or it has run out. */
export function leaseIn(found: ReadonlyMap<string, Stored>, entity_id: string): Lease | null {
  const stored = itemAt(found, key.lease(entity_id))
  return stored === undefined ? null : leaseOf(stored)
}

/** A stored lease; null when it has run out. */
export function leaseOf(stored: Stored): Lease | null {
  const it = v.parse(Held, stored)
  return it.expires_at > nowSeconds() ? shown(it) : null
}

const shown = ({ held_by, username, expires_at }: v.InferOutput<typeof Held>): Lease => ({
  held_by,
  username,
  until: new Date(expires_at * 1000).toISOString(),
})

/** The write that belongs to a verdict: it ends the reviewer's own lease, and fails with `conflict` while another holds one. */
export const endLease = (entity_id: string, reviewer: Actor): Write =>
  releaseLease(key.lease(entity_id), reviewer.id, nowSeconds(), () => conflict('Another reviewer has claimed this.'))

/**
 * Takes or renews the lease of what waits. Fails with `conflict`, naming who and until when, while another holds it, and
 * with `refused` for one's own contribution.
 */
export async function claim(entity_id: string, reviewer: Actor): Promise<Lease> {
  const contributor_id = await checkFree(entity_id, reviewer)
  checkAllowed(mayDecideOn(reviewer, [contributor_id]))
  const held = { held_by: reviewer.id, username: reviewer.username, expires_at: nowSeconds() + MINUTES * 60 }
  const taken = () => conflict('Another reviewer has claimed this just now.')
  commitWithAnswer([acquireLease(key.lease(entity_id), held, nowSeconds(), taken)])
  return shown(held)
}

/** Gives the lease back; done, if there is none. Fails with `conflict` while another holds it. */
export async function release(entity_id: string, reviewer: Actor): Promise<void> {
  await checkFree(entity_id, reviewer)
  commitWithAnswer([endLease(entity_id, reviewer)])
}

/** The contributor of what waits and is held by nobody else. */
async function checkFree(entity_id: string, reviewer: Actor): Promise<string> {
  const found = await getMany([key.head(entity_id), key.lease(entity_id)], true)
  const it = itemIn(found, recordItem, { entity_id })
  if (!it || !waits(it)) throw notFound()
  const lease = leaseIn(found, entity_id)
  if (lease && lease.held_by !== reviewer.id) throw conflict(`Claimed by ${lease.username} until ${lease.until}.`)
  return it.contributor_id
}
