import { now } from '../../base/clock.ts'
import { conflict, invalid } from '../../base/errors.ts'
import { type UnitOfWork, withNextVersion } from '../../engines/table/index.ts'
import type { RecordItem } from '../records/items.ts'
import {
  type ClusterInput,
  checkNotMerged,
  clusterWrites,
  loadClusters,
  MAX_MEMBERS,
  TOO_MANY_MEMBERS,
} from './clusters.ts'
import type { Cluster } from './items.ts'
import { type Evidence, type Joining, joinWrites, loadMemberships, moveWrites } from './memberships.ts'

/** What a decision on identity makes of a cluster. `isNew`: it is not stored yet. `input`: values that change with it. */
export type Gathering = { records: readonly RecordItem[]; evidence: Evidence; input?: ClusterInput; isNew?: boolean }

/**
 * Puts records into a cluster, and takes each out of its former cluster. Returns the cluster, and the ids of the new claims. Records that
 * are in the cluster already stay. Fails with `conflict` if one of the clusters is locked, or if somebody else was faster. Fails with
 * `invalid` if the cluster was merged, or would have too many members. Three calls at most.
 */
export async function gatherRecords(
  unit: UnitOfWork,
  target: Cluster,
  { records, evidence, input = {}, isNew = false }: Gathering,
): Promise<{ cluster: Cluster; assertion_ids: string[] }> {
  checkNotMerged(target)
  const at = now()
  const memberships = await loadMemberships(records.map(({ entity_id }) => entity_id))
  const clusterOf = (record: RecordItem) => memberships.get(record.entity_id)?.membership.cluster_id
  const coming = records.filter((record) => clusterOf(record) !== target.id)
  const left = await loadClusters(coming.flatMap((record) => clusterOf(record) ?? []))
  if ([target, ...left].some(({ locked }) => locked)) throw conflict('A cluster of these records is locked.')
  const members = [...target.members, ...coming.map(({ entity_id }) => entity_id)]
  if (members.length > MAX_MEMBERS) throw invalid({ members: [TOO_MANY_MEMBERS] })
  const next = isNew
    ? { ...target, ...input, members }
    : withNextVersion<Cluster>(target, { ...input, members, updated_at: at })
  const joined = coming.map((record): Joining => {
    const from = clusterOf(record)
    if (from !== undefined)
      return moveWrites(record, memberships.get(record.entity_id), { from, into: next, evidence, at })
    return joinWrites(next, [record], evidence, at)
  })
  unit.add([
    ...clusterWrites(isNew ? undefined : target, next),
    ...left.flatMap((it) => {
      const stay = it.members.filter((id) => !members.includes(id))
      return clusterWrites(it, withNextVersion<Cluster>(it, { members: stay, updated_at: at }))
    }),
    ...joined.flatMap(({ writes }) => writes),
  ])
  return { cluster: next, assertion_ids: joined.flatMap(({ assertion_ids }) => assertion_ids.slice(-1)) }
}
