import { getMany, itemIn, queryAll } from '../../engines/table/index.ts'
import { type Actor, mayInspect } from '../../platform/permissions.ts'
import { key } from '../../platform/table/keys.ts'
import { loadClusters } from '../clusters/clusters.ts'
import type { Cluster } from '../clusters/items.ts'
import { loadMemberships, type MembershipWithClaim } from '../clusters/memberships.ts'
import { loadSourceNames } from '../records/evidence.ts'
import { type Assertion, type RecordItem, recordItem } from '../records/items.ts'

/** A cluster with the members that the reader may see. */
export type SeenCluster = { cluster: Cluster; members: { record: RecordItem; claim: Assertion | undefined }[] }
/**
 * What a record is held to be. The first cluster is its own, further clusters are rivals. `record` is undefined if the reader may not see
 * it.
 */
export type Identity = { record: RecordItem | undefined; clusters: SeenCluster[]; sources: ReadonlyMap<string, string> }
const unknown: Identity = { record: undefined, clusters: [], sources: new Map() }

/**
 * Loads the cluster of a record, and the rival clusters: clusters of records that an open candidate pairs with this one. Whatever the
 * caller may not see is left out. Ten calls at most, three or four for a record in no cluster.
 */
export async function loadIdentity(entity_id: string, actor: Actor | null): Promise<Identity> {
  const { pk } = key.pair(entity_id, '')
  const [found, pairs] = await Promise.all([getMany([key.head(entity_id)]), queryAll(pk, 'PAIR#')])
  const record = itemIn(found, recordItem, { entity_id })
  if (!record || !mayInspect(actor, record)) return unknown
  const others = pairs.map(({ other }) => String(other))
  const memberships = await loadMemberships([entity_id, ...others])
  const own = memberships.get(entity_id)?.membership.cluster_id
  if (own === undefined) return { ...unknown, record }
  const visible = await visibleAmong(others, actor)
  const rivals = visible.flatMap((it) => memberships.get(it.entity_id)?.membership.cluster_id ?? [])
  const clusters = await loadClusters([own, ...rivals.filter((id) => id !== own)])
  const ids = [...new Set(clusters.flatMap(({ members }) => members))]
  const [members, joined] = await Promise.all([visibleAmong(ids, actor), loadMemberships(ids)])
  const claim = joined.get(entity_id)?.claim
  return {
    record,
    clusters: clusters.map((cluster) => seenCluster(cluster, members, joined)),
    sources: await loadSourceNames(claim ? [claim] : [], actor),
  }
}

/** Loads those of the records that the caller may see. One call, none without ids. */
async function visibleAmong(ids: readonly string[], actor: Actor | null): Promise<RecordItem[]> {
  const found = await getMany(ids.map(key.head))
  return ids.flatMap((id) => {
    const record = itemIn(found, recordItem, { entity_id: id })
    return record && !record.deleted_at && mayInspect(actor, record) ? [record] : []
  })
}

const seenCluster = (
  cluster: Cluster,
  records: readonly RecordItem[],
  memberships: ReadonlyMap<string, MembershipWithClaim>,
): SeenCluster => ({
  cluster,
  members: records
    .filter(({ entity_id }) => cluster.members.includes(entity_id))
    .map((record) => ({ record, claim: memberships.get(record.entity_id)?.claim })),
})
