import type { Images } from '../../engines/table/index.ts'
import { getMany, itemAt, itemIn, parse, type Stored, walkTable } from '../../engines/table/index.ts'
import { key } from '../../platform/table/keys.ts'
import { cluster, membership } from '../clusters/clusters.ts'
import { recordItem } from '../records/items.ts'
import { valueEdges } from '../records/links.ts'
import { isInFeed, stateOfRecord, type Thing } from './state.ts'
import { writeChanges } from './tell.ts'

/** A thing that the feed has to look at again. `flips` says that it has become public, or is not public any more. */
export type FeedChange = Thing & { flips: boolean }

/**
 * Returns which thing a change of the table concerns. Undefined if the feed does not follow it, or if the public sees no
 * difference.
 */
export function feedChangeOf({ before, after }: Images): FeedChange | undefined {
  const stored = after ?? before
  if (stored?.type === cluster.type) return { sort: 'cluster', id: String(stored.id), flips: false }
  if (stored?.type !== recordItem.type) return undefined
  const [was = null, is = null] = [before, after].map((it) => it && stateOfRecord(parse(recordItem, it), none).digest)
  const flips = (was === null) !== (is === null)
  return was === is ? undefined : { sort: 'record', id: String(stored.entity_id), flips }
}

const none: ReadonlyMap<string, Stored> = new Map()

/** The thing that a stored item is about. A recount looks at all items, without any change. */
export const thingOf = (stored: Stored): Thing =>
  stored.type === cluster.type
    ? { sort: 'cluster', id: String(stored.id) }
    : { sort: 'record', id: String(stored.entity_id) }

/**
 * Brings the feed up to date with these changes, in their order. If a record appears or goes, its cluster and the records that
 * link to it look different too. Those are written first, so that a repeated call misses none of them.
 */
export async function followChanges(fed: readonly FeedChange[]): Promise<void> {
  const flipped = [...new Set(fed.flatMap(({ id, flips }) => (flips ? id : [])))]
  const held = await getMany(flipped.map(key.clustered), true)
  const beside: Thing[] = []
  for (let start = 0; start < flipped.length; start += SIDE_BY_SIDE) {
    const some = flipped.slice(start, start + SIDE_BY_SIDE)
    beside.push(
      ...(await Promise.all(some.map((id) => neighboursOf(id, itemIn(held, membership, { entity_id: id }))))).flat(),
    )
  }
  await writeChanges([...beside, ...fed])
}

/** Records whose neighbours are looked up in parallel. */
const SIDE_BY_SIDE = 12

/** What shows a record: the cluster that holds it, and the public records that link to it. */
async function neighboursOf(entity_id: string, held: { cluster_id: string } | undefined): Promise<Thing[]> {
  const namers = await namersOf(entity_id)
  return [...(held ? [{ sort: 'cluster', id: held.cluster_id } as const] : []), ...namers]
}

/** Links read with one query. */
const AT_ONCE = 200

/** The public records that link to a record. One query and two calls for each two hundred. */
async function namersOf(entity_id: string): Promise<Thing[]> {
  const namers: Thing[] = []
  let beyond: string | undefined
  for (;;) {
    const entries = await walkTable({ pk: `RELATED#${entity_id}`, forward: true, limit: AT_ONCE, beyond })
    const ids = [...new Set(entries.map((each) => String(each.record)))]
    const found = await getMany(ids.map(key.head), true)
    const heads = ids.flatMap((id) => itemAt(found, key.head(id)) ?? []).map((stored) => parse(recordItem, stored))
    const naming = heads.filter((head) => isInFeed(head) && valueEdges(head).some(({ to }) => to === entity_id))
    namers.push(...naming.map((head) => ({ sort: 'record', id: head.entity_id }) as const))
    if (entries.length < AT_ONCE) return namers
    beyond = String(entries.at(-1)?.sk)
  }
}
