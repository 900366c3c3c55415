import { cluster, membership } from '../clusters/clusters.ts'
import { recordItem } from '../records/items.ts'
import { namedBy } from '../records/links.ts'
import { parse } from '../table/item.ts'
import { key } from '../table/keys.ts'
import { getMany, itemAt, itemIn, type Stored, walkTable } from '../table/read.ts'
import type { Images } from '../table/stream.ts'
import { isTold, stateOfRecord, type Thing } from './state.ts'
import { tell } from './tell.ts'

/** What of a change may be told to everyone. `flips`: the thing has become visible, or has ceased to be. */
export type Fed = Thing & { flips: boolean }

/** A change of the table as the feed hears of it; undefined for what it does not follow, and what nobody outside sees. */
export function fedBy({ before, after }: Images): Fed | undefined {
  const stored = after ?? before
  if (stored?.type === cluster.type) return { sort: 'cluster', id: String(stored.id), flips: false }
  if (stored?.type !== recordItem.type) return undefined
  const [was = null, is = null] = [before, after].map((it) => it && stateOfRecord(parse(recordItem, it), none).digest)
  const flips = (was === null) !== (is === null)
  return was === is ? undefined : { sort: 'record', id: String(stored.entity_id), flips }
}

const none: ReadonlyMap<string, Stored> = new Map()

/** A thing as it stands: for what was there before the feed was, and after a restore. */
export const fedAnew = (stored: Stored): Thing =>
  stored.type === cluster.type
    ? { sort: 'cluster', id: String(stored.id) }
    : { sort: 'record', id: String(stored.entity_id) }

/**
 * Tells the feed what changes have come to, in their order. When a record appears or goes, what names it and the cluster
 * that holds it look different too: those are told first, so that none is missed where this is repeated.
 */
export async function feed(fed: readonly Fed[]): Promise<void> {
  const flipped = [...new Set(fed.flatMap(({ id, flips }) => (flips ? id : [])))]
  const held = await getMany(flipped.map(key.clustered), true)
  const beside: Thing[] = []
  for (let start = 0; start < flipped.length; start += SIDE_BY_SIDE) {
    const some = flipped.slice(start, start + SIDE_BY_SIDE)
    beside.push(
      ...(await Promise.all(some.map((id) => besideOf(id, itemIn(held, membership, { entity_id: id }))))).flat(),
    )
  }
  await tell([...beside, ...fed])
}

/** Of so many records what shows them is looked for at the same time. */
const SIDE_BY_SIDE = 12

/** What shows a record: the cluster that it is in, and the public records that name it. */
async function besideOf(entity_id: string, held: { cluster_id: string } | undefined): Promise<Thing[]> {
  const namers = await namersOf(entity_id)
  return [...(held ? [{ sort: 'cluster', id: held.cluster_id } as const] : []), ...namers]
}

/** So many are looked at together. */
const AT_ONCE = 200

/** The public records whose values name a record. One query and two calls for each two hundred. */
async function namersOf(entity_id: string): Promise<Thing[]> {
  const namers: Thing[] = []
  let beyond: string | undefined
  for (;;) {
    const entries = await walkTable({ pk: `RELATED#${entity_id}`, forward: true, limit: AT_ONCE, beyond })
    const ids = [...new Set(entries.map((each) => String(each.record)))]
    const found = await getMany(ids.map(key.head), true)
    const heads = ids.flatMap((id) => itemAt(found, key.head(id)) ?? []).map((stored) => parse(recordItem, stored))
    const naming = heads.filter((head) => isTold(head) && namedBy(head).some(({ to }) => to === entity_id))
    namers.push(...naming.map((head) => ({ sort: 'record', id: head.entity_id }) as const))
    if (entries.length < AT_ONCE) return namers
    beyond = String(entries.at(-1)?.sk)
  }
}
