import { newId, now } from '../../base/clock.ts'
import { conflict, forbidden, invalid } from '../../base/errors.ts'
import { cut } from '../../engines/matching/index.ts'
import { type UnitOfWork, withNextVersion } from '../../engines/table/index.ts'
import { type Actor, mayInspect } from '../../platform/permissions.ts'
import type { RecordItem } from '../records/items.ts'
import { auditWrites } from './audit.ts'
import {
  checkClusterVersion,
  checkNotMerged,
  clusterWrites,
  isVisibleMember,
  loadCluster,
  loadClusters,
  loadRecords,
  MAX_MEMBERS,
  type MemberInput,
  memberId,
  TOO_MANY_MEMBERS,
} from './clusters.ts'
import type { Cluster } from './items.ts'
import {
  evidenceAgain,
  evidenceBeside,
  evidenceOf,
  loadFormerClaims,
  loadMemberships,
  type MembershipWithClaim,
  moveWrites,
} from './memberships.ts'

/*
 * Merging two clusters, and splitting one. A merged cluster keeps its id, its name and the list of its former members. So a split can undo
 * the merge: it gives these members back.
 */

export type MergeInput = {
  source_cluster_id: string
  reason: string
  expected_version: number
  lock_override: boolean
}

/**
 * Moves all members of the source into the target. The source stays without members, is found by no name, and says where it went. Fails
 * with `conflict` on another version, and with `refused` on a locked target without `lock_override`. Fails with field errors on a source
 * that cannot be merged. Four calls.
 */
export async function mergeClusters(
  unit: UnitOfWork,
  target: Cluster,
  input: MergeInput,
  actor: Actor,
): Promise<Cluster> {
  checkNotMerged(target)
  checkClusterVersion(target, input.expected_version)
  if (target.locked && !input.lock_override)
    throw forbidden('This cluster is locked. Send lock_override to merge all the same.')
  const source = await mergeableSource(target, input.source_cluster_id)
  if (target.members.length + source.members.length > MAX_MEMBERS)
    throw invalid({ source_cluster_id: [TOO_MANY_MEMBERS] })
  const at = now()
  const [records, memberships] = await loadWithMemberships(source.members)
  const said = evidenceOf(actor, 'merge', input.reason)
  const moves = source.members.map((id) => {
    const evidence = evidenceBeside(said, memberships.get(id)?.claim)
    return moveWrites(recordIn(records, id), memberships.get(id), { from: source.id, into: target, evidence, at })
  })
  const next = withNextVersion<Cluster>(target, {
    members: [...target.members, ...source.members],
    absorbed: [...target.absorbed, source.id],
    updated_at: at,
  })
  const emptied = withNextVersion<Cluster>(source, {
    members: [],
    merged_into: target.id,
    merged_members: source.members,
    updated_at: at,
  })
  unit.add([
    ...clusterWrites(target, next),
    ...clusterWrites(source, emptied),
    ...moves.flatMap(({ writes }) => writes),
    ...auditWrites({
      action: target.locked ? 'lock_override_merge' : 'merge',
      reason: input.reason,
      actor,
      before: [target, source],
      after: [next, emptied],
      assertion_ids: moves.flatMap(({ assertion_ids }) => assertion_ids),
      merged: [source.id, target.id],
    }),
  ])
  return next
}

async function mergeableSource(target: Cluster, id: string): Promise<Cluster> {
  const source = id === target.id ? target : await loadCluster(id)
  const fault = !source
    ? 'There is no cluster with this id.'
    : source.id === target.id
      ? 'A cluster cannot be merged into itself.'
      : source.kind !== target.kind
        ? 'It gathers records of another kind.'
        : source.merged_into
          ? 'It was merged before.'
          : source.locked
            ? 'It is locked.'
            : undefined
  if (!source || fault !== undefined) throw invalid({ source_cluster_id: [fault ?? ''] })
  return source
}

export type SplitInput = { reason: string; expected_version: number; groups: readonly (readonly MemberInput[])[] }
/** `clusters`: the cluster of each group, in the order of the groups. `kept`: the id of the cluster that was split. */
export type Split = { clusters: Cluster[]; kept: string; audit_event_id: string }

/**
 * Splits a cluster. Each member that the caller may inspect must be in exactly one group. The first group that no merge brought in stays. A
 * group that a merge brought in goes back to its former cluster. Any other group gets a cluster of its own. Fails with `conflict` on
 * another version, with `refused` on a locked cluster, and with field errors on wrong groups.
 */
export async function splitCluster(unit: UnitOfWork, old: Cluster, input: SplitInput, actor: Actor): Promise<Split> {
  checkNotMerged(old)
  checkClusterVersion(old, input.expected_version)
  if (old.locked) throw forbidden('This cluster is locked.')
  const [records, memberships] = await loadWithMemberships(old.members)
  const groups = partitionOf(old, input.groups, records, actor)
  const absorbed = await loadClusters(old.absorbed)
  const origins = groups.map((group) =>
    absorbed.find((it) => it.merged_into === old.id && isSame(it.merged_members, group)),
  )
  const stays = origins.indexOf(undefined)
  const at = now()
  const moved = groups.flatMap((group, i): { next: Cluster; was: Cluster | undefined; group: string[] }[] => {
    if (i === stays) return []
    const was = origins[i]
    return [{ next: was ? reviveCluster(was, group, at) : splitOff(old, group, records, actor, at), was, group }]
  })
  const gone = moved.flatMap(({ group }) => group)
  const kept = withNextVersion<Cluster>(old, {
    members: old.members.filter((id) => !gone.includes(id)),
    absorbed: old.absorbed.filter((id) => !moved.some(({ was }) => was?.id === id)),
    updated_at: at,
  })
  const said = evidenceOf(actor, 'split', input.reason)
  const coming = moved.flatMap(({ group }) => group).flatMap((id) => memberships.get(id)?.claim ?? [])
  const former = await loadFormerClaims(coming)
  const moves = moved.flatMap(({ next, group }) =>
    group.map((id) => {
      const claim = memberships.get(id)?.claim
      const before = former.get(claim?.id ?? '')
      // A record that goes back to the cluster from which a merge took it gets its former claim again.
      const evidence = before?.value === next.id ? evidenceAgain(said, before) : evidenceBeside(said, claim)
      return moveWrites(recordIn(records, id), memberships.get(id), { from: old.id, into: next, evidence, at })
    }),
  )
  const audit_event_id = newId()
  unit.add([
    ...clusterWrites(old, kept),
    ...moved.flatMap(({ next, was }) => clusterWrites(was, next)),
    ...moves.flatMap(({ writes }) => writes),
    ...auditWrites({
      action: 'split',
      reason: input.reason,
      actor,
      before: [old, ...moved.flatMap(({ was }) => was ?? [])],
      after: [kept, ...moved.map(({ next }) => next)],
      assertion_ids: moves.flatMap(({ assertion_ids }) => assertion_ids),
      id: audit_event_id,
    }),
  ])
  const clusters = groups.map((group) => moved.find((it) => it.group === group)?.next ?? kept)
  return { clusters, kept: old.id, audit_event_id }
}

/** Returns the groups as review identities. Fails unless each member that the caller may inspect is in exactly one of them. */
function partitionOf(
  old: Cluster,
  inputs: SplitInput['groups'],
  records: ReadonlyMap<string, RecordItem>,
  actor: Actor,
): string[][] {
  const groups = inputs.map((group) => group.map(memberId))
  const named = groups.flat()
  const present = old.members.filter((id) => {
    const record = records.get(id)
    return record !== undefined && mayInspect(actor, record)
  })
  if (groups.length < 2 || groups.some((group) => group.length === 0))
    throw invalid({ groups: ['Give at least two groups, each with a record.'] })
  if (new Set(named).size !== named.length || !isSame(named, present))
    throw invalid({ groups: ['Name each member of the cluster in one group, and no other record.'] })
  return groups
}

const isSame = (a: readonly string[], b: readonly string[]) => a.length === b.length && a.every((id) => b.includes(id))

/** Restores a merged cluster with these members. */
const reviveCluster = (was: Cluster, members: string[], at: string): Cluster =>
  withNextVersion<Cluster>(was, { members, merged_into: null, merged_members: [], updated_at: at })

const MOST_LETTERS = 500

/** The names of members that everyone may read. Everyone reads `canonical_label`, so it names no other members. */
const labelOf = (members: readonly RecordItem[]): string =>
  cut([...new Set(members.filter((it) => isVisibleMember(it, null)).map(({ name }) => name))].join(' / '), MOST_LETTERS)

const splitOff = (
  old: Cluster,
  members: string[],
  records: ReadonlyMap<string, RecordItem>,
  actor: Actor,
  at: string,
): Cluster => ({
  ...old,
  id: newId(),
  canonical_label: labelOf(members.map((id) => recordIn(records, id))) || old.canonical_label,
  note: '',
  lock_reason: '',
  curated_aliases: [],
  external_identifiers: {},
  members,
  merged_into: null,
  merged_members: [],
  absorbed: [],
  contributor_id: actor.id,
  contributor: actor.username,
  created_at: at,
  updated_at: at,
  version: 1,
})

/** Loads records and their memberships, by review identity. Three calls. */
const loadWithMemberships = (
  ids: readonly string[],
): Promise<[Map<string, RecordItem>, Map<string, MembershipWithClaim>]> =>
  Promise.all([loadRecords(ids, true), loadMemberships(ids)])

function recordIn(records: ReadonlyMap<string, RecordItem>, id: string): RecordItem {
  const record = records.get(id)
  if (!record) throw conflict()
  return record
}
