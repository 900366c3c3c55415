import '../search-words/name-words.ts'
import { newId, now } from '../../base/clock.ts'
import { conflict, invalid, invalidObject } from '../../base/errors.ts'
import { addressOf, recordId } from '../../base/ids/address.ts'
import { phrase } from '../../base/language/languages.ts'
import {
  get,
  getMany,
  itemIn,
  type PageRequest,
  parse,
  put,
  readList,
  says,
  type UnitOfWork,
  type Write,
  withNextVersion,
} from '../../engines/table/index.ts'

import { type Indexed, indexWrites } from '../../platform/name-index/entries.ts'
import { type Actor, maySee } from '../../platform/permissions.ts'
import { key } from '../../platform/table/keys.ts'
import { type Kind, kinds } from '../kinds/index.ts'
import { type RecordItem, recordItem } from '../records/items.ts'
import { auditWrites } from './audit.ts'
import { type Cluster, cluster, clusterList, indexFor } from './items.ts'
import { evidenceOf, joinWrites, leaveWrites, loadMemberships } from './memberships.ts'

export type ClusterInput = Partial<
  Pick<Cluster, 'canonical_label' | 'locked' | 'lock_reason' | 'note' | 'curated_aliases' | 'external_identifiers'>
>
/** Names a member: by its integer id in its kind, or by its review identity. */
export type MemberInput = { kind: Kind; id: number | string }

/**
 * The most members of a cluster. As many records can join in one transaction. A change that replaces all of them may be larger than a
 * transaction, and is refused.
 */
export const MAX_MEMBERS = 30

export const loadCluster = (id: string): Promise<Cluster | undefined> => get(cluster, { id })

/**
 * Creates a cluster. Fails with a field error if the caller may not see one of the members, or if a member is in another cluster. Each
 * member gets a claim of identity.
 */
export async function createCluster(
  unit: UnitOfWork,
  kind: Kind,
  input: ClusterInput,
  memberInputs: readonly MemberInput[],
  actor: Actor,
): Promise<Cluster> {
  const at = now()
  const members = await checkMembers(kind, memberInputs, actor)
  const created = newCluster(kind, { ...input, members: members.map(({ entity_id }) => entity_id) }, actor, at)
  unit.add([
    ...clusterWrites(undefined, created),
    ...joinWrites(created, members, evidenceOf(actor, 'cluster'), at).writes,
  ])
  return created
}

/** Builds a cluster that this person makes. Nothing is stored. */
export const newCluster = (
  kind: Kind,
  input: ClusterInput & { members?: string[] },
  { id, username }: Pick<Actor, 'id' | 'username'>,
  at: string,
): Cluster => ({
  id: newId(),
  kind: kind.key,
  canonical_label: '',
  locked: false,
  lock_reason: '',
  note: '',
  curated_aliases: [],
  external_identifiers: {},
  members: [],
  ...input,
  merged_into: null,
  merged_members: [],
  absorbed: [],
  contributor_id: id,
  contributor: username,
  public: true,
  created_at: at,
  updated_at: at,
  version: 1,
})

/**
 * Changes a cluster. Without `memberInputs` its members stay. Fails as `createCluster` does, and with `conflict` if the
 * cluster has changed since it was read.
 */
export async function amendCluster(
  unit: UnitOfWork,
  old: Cluster,
  input: ClusterInput,
  memberInputs: readonly MemberInput[] | undefined,
  actor: Actor,
): Promise<Cluster> {
  checkNotMerged(old)
  const { members, joining, leaving } = memberInputs
    ? await membersAfter(old, memberInputs, actor)
    : { members: old.members, joining: [], leaving: [] }
  if (says(old, { ...input, members })) return old
  const at = now()
  const unlocks = old.locked && input.locked === false
  const next = withNextVersion<Cluster>(old, { ...(unlocks && { lock_reason: '' }), ...input, members, updated_at: at })
  const memberships = await loadMemberships(leaving.map(({ entity_id }) => entity_id))
  const evidence = evidenceOf(actor, 'cluster')
  const leave = { cluster_id: old.id, decided: evidence.decided, at }
  unit.add([
    ...clusterWrites(old, next),
    ...leaving.flatMap((record) => leaveWrites(record, memberships.get(record.entity_id), leave)),
    ...joinWrites(next, joining, evidence, at).writes,
    ...(next.locked === old.locked ? [] : lockEvent(old, next, actor)),
  ])
  return next
}

/** The entry in the cluster's log for a lock or for its end. */
const lockEvent = (old: Cluster, next: Cluster, actor: Actor): Write[] =>
  auditWrites({
    action: next.locked ? 'lock' : 'unlock',
    reason: next.lock_reason,
    actor,
    before: [old],
    after: [next],
  })

/** The writes of a changed cluster and of its names. */
export const clusterWrites = (old: Cluster | undefined, next: Cluster): Write[] => [
  put(cluster, next, old),
  ...indexWrites(old && nameEntryOf(old), nameEntryOf(next)),
]

/** Fails with `invalid` if the cluster was merged into another one. */
export function checkNotMerged({ merged_into }: Cluster): void {
  if (merged_into) throw invalidObject(`This cluster was merged into ${merged_into}.`)
}

/** Fails with `conflict` if the cluster is not at the version that the caller has read. */
export function checkClusterVersion(old: Cluster, expected_version: number | undefined): void {
  if (expected_version !== undefined && expected_version !== old.version)
    throw conflict(`The cluster has changed since: it is at version ${old.version}.`)
}

/**
 * Locks or unlocks a cluster. Fails with `conflict` if the cluster is not at the expected version, or is locked or unlocked
 * already.
 */
export async function setClusterLock(
  unit: UnitOfWork,
  old: Cluster,
  locked: boolean,
  { reason, expected_version }: { reason: string; expected_version?: number | undefined },
  actor: Actor,
): Promise<Cluster> {
  checkClusterVersion(old, expected_version)
  if (old.locked === locked) throw conflict(`The cluster is ${locked ? phrase('locked') : phrase('not locked')}.`)
  return amendCluster(unit, old, { locked, lock_reason: reason }, undefined, actor)
}

/** Loads the members that the caller may see, in the order of `members`. */
export async function loadMembers({ members }: Cluster, actor: Actor | null): Promise<RecordItem[]> {
  const records = await loadRecords(members)
  return members.flatMap((id) => records.get(id) ?? []).filter((record) => isVisibleMember(record, actor))
}

export type ClusterFilter = {
  kind?: string | undefined
  locked?: boolean | undefined
  forward?: boolean | undefined
}
export type ClusterPage = { count: number; results: Cluster[]; first?: string | undefined; last?: string | undefined }

/** Returns one page of the clusters, newest first unless `forward`. */
export async function listClusters({ kind, locked, forward }: ClusterFilter, place: PageRequest): Promise<ClusterPage> {
  const pk = clusterList(kind, locked)
  const partitions = [{ index: indexFor(kind, locked), pk }] as const
  const listing = await readList({ partitions, counted: [pk], ...(forward && { forward }) }, place)
  return { ...listing, results: listing.items.map((item) => parse(cluster, item)) }
}

/** The kind under which the name index holds clusters. */
export const CLUSTER_NAMES = 'entity_cluster'

/** Loads clusters in the order of `ids`, each once. */
export async function loadClusters(ids: readonly string[]): Promise<Cluster[]> {
  const items = await getMany(ids.map(key.cluster))
  return [...new Set(ids)].flatMap((id) => itemIn(items, cluster, { id }) ?? [])
}

/** Loads records, by review identity. */
export async function loadRecords(ids: readonly string[], consistent = false): Promise<Map<string, RecordItem>> {
  const items = await getMany(ids.map(key.head), consistent)
  return new Map([...items.values()].map((item) => parse(recordItem, item)).map((record) => [record.entity_id, record]))
}

export const isVisibleMember = (record: RecordItem, actor: Actor | null) => !record.deleted_at && maySee(actor, record)

const nameEntryOf = ({ id, canonical_label, curated_aliases, merged_into }: Cluster): Indexed | undefined =>
  merged_into ? undefined : { entity_id: id, kind: CLUSTER_NAMES, id, names: [canonical_label, ...curated_aliases] }

/** Returns the records of members. Fails unless each is a record of this kind that the caller may see. */
async function checkMembers(kind: Kind, inputs: readonly MemberInput[], actor: Actor): Promise<RecordItem[]> {
  const ids = [...new Set(inputs.map(memberId))]
  const records = await loadRecords(ids, true)
  const fit = ids.flatMap((id) => {
    const record = records.get(id)
    return record && record.kind === kind.key && isVisibleMember(record, actor) ? [record] : []
  })
  if (fit.length < ids.length || inputs.some((input) => input.kind.key !== kind.key))
    throw invalid({ members: [`There is no ${kind.label.toLowerCase()} with one of these ids.`] })
  return fit
}

/**
 * Returns the members after a change, and the records that join and leave. Members that the caller may not see stay: the list
 * that the caller read and sent back did not contain them.
 */
async function membersAfter(old: Cluster, inputs: readonly MemberInput[], actor: Actor) {
  const sent = await checkMembers(kinds[old.kind], inputs, actor)
  const records = await loadRecords(old.members)
  const hidden = old.members.filter((id) => {
    const record = records.get(id)
    return record !== undefined && !isVisibleMember(record, actor)
  })
  const members = [...new Set([...hidden, ...sent.map(({ entity_id }) => entity_id)])]
  if (members.length > MAX_MEMBERS) throw invalid({ members: [TOO_MANY_MEMBERS] })
  return {
    members,
    joining: sent.filter(({ entity_id }) => !old.members.includes(entity_id)),
    leaving: old.members.filter((id) => !members.includes(id)).flatMap((id) => records.get(id) ?? []),
  }
}

export const TOO_MANY_MEMBERS = `A cluster gathers at most ${MAX_MEMBERS} records.`

/** The review identity of a member. */
export const memberId = ({ kind, id }: MemberInput): string =>
  typeof id === 'number' && kind.record ? recordId(kind.code, id) : (addressOf(String(id))?.record ?? String(id))
