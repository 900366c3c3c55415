import { mapAtOnce } from '../../base/concurrency.ts'
import type { Images } from '../../engines/table/index.ts'
import { getMany, itemAt, itemIn, parse, type Stored, walkTable } from '../../engines/table/index.ts'
import { key } from '../../platform/table/keys.ts'
import { cluster } from '../clusters/items.ts'
import { membership } from '../clusters/memberships.ts'
import { recordItem } from '../records/items.ts'
import { valueEdges } from '../records/links.ts'
import { type FeedSubject, isInFeed, stateOfRecord } from './state.ts'
import { writeChanges } from './tell.ts'

/** A record or cluster that the feed has to look at again. `flips` is true if it has become public or is no longer public. */
export type FeedChange = FeedSubject & { flips: boolean }

/**
 * Returns the record or cluster that a change of the table affects. Undefined if the feed does not follow it, or if the public
 * sees no difference.
 */
export function feedChangeOf({ before, after }: Images): FeedChange | undefined {
  const stored = after ?? before
  if (stored?.type === cluster.type) return { sort: 'cluster', id: String(stored.id), flips: false }
  if (stored?.type !== recordItem.type) return undefined
  const [was = null, is = null] = [before, after].map(
    (it) => it && stateOfRecord(parse(recordItem, it), none).compared.digest,
  )
  const flips = (was === null) !== (is === null)
  return was === is ? undefined : { sort: 'record', id: String(stored.entity_id), flips }
}

const none: ReadonlyMap<string, Stored> = new Map()

/** The record or cluster of a stored item. `npm run recount` calls it for every record and cluster, changed or not. */
export const thingOf = (stored: Stored): FeedSubject =>
  stored.type === cluster.type
    ? { sort: 'cluster', id: String(stored.id) }
    : { sort: 'record', id: String(stored.entity_id) }

/**
 * Brings the feed up to date with these changes, in their order. If a record appears or goes, its cluster and the records that
 * link to it look different too. Those are written first, so that a repeated call misses none of them.
 */
export async function followChanges(changes: readonly FeedChange[]): Promise<void> {
  const flipped = [...new Set(changes.flatMap(({ id, flips }) => (flips ? id : [])))]
  const held = await getMany(flipped.map(key.clustered), true)
  const neighbours = await mapAtOnce(flipped, LOOKED_UP_AT_ONCE, (id) =>
    neighboursOf(id, itemIn(held, membership, { entity_id: id })),
  )
  await writeChanges([...neighbours.flat(), ...changes])
}

/** Records whose neighbours are looked up in parallel. */
const LOOKED_UP_AT_ONCE = 12

/** The subjects of the feed that show a record: the cluster that holds it, and the public records that link to it. */
async function neighboursOf(entity_id: string, held: { cluster_id: string } | undefined): Promise<FeedSubject[]> {
  const linkers = await linkersOf(entity_id)
  return [...(held ? [{ sort: 'cluster', id: held.cluster_id } as const] : []), ...linkers]
}

/** Links read with one query. */
const LINKS_IN_QUERY = 200

/** The public records that link to a record. One query and two calls for each two hundred. */
async function linkersOf(entity_id: string): Promise<FeedSubject[]> {
  const linkers: FeedSubject[] = []
  let beyond: string | undefined
  for (;;) {
    const entries = await walkTable({ pk: `RELATED#${entity_id}`, forward: true, limit: LINKS_IN_QUERY, beyond })
    const ids = [...new Set(entries.map((each) => String(each.record)))]
    const found = await getMany(ids.map(key.head), true)
    const heads = ids.flatMap((id) => itemAt(found, key.head(id)) ?? []).map((stored) => parse(recordItem, stored))
    const naming = heads.filter((head) => isInFeed(head) && valueEdges(head).some(({ to }) => to === entity_id))
    linkers.push(...naming.map((head) => ({ sort: 'record', id: head.entity_id }) as const))
    if (entries.length < LINKS_IN_QUERY) return linkers
    beyond = String(entries.at(-1)?.sk)
  }
}
