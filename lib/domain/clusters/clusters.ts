import * as v from 'valibot'
import { newId, now } from '../../base/clock.ts'
import { conflict, invalid } from '../../base/errors.ts'
import { addressOf, recordId } from '../../base/ids/address.ts'
import { phrase } from '../../base/language/languages.ts'
import {
  defineItem,
  get,
  getMany,
  itemIn,
  type PageRequest,
  parse,
  put,
  readList,
  remove,
  says,
  type UnitOfWork,
  type Write,
  withNextVersion,
} from '../../engines/table/index.ts'

import { type Indexed, indexWrites } from '../../platform/name-index/entries.ts'
import { type Actor, maySee } from '../../platform/permissions.ts'
import { key } from '../../platform/table/keys.ts'
import { type Kind, kindKeys, kinds } from '../kinds/index.ts'
import { type RecordItem, recordItem } from '../records/items.ts'

/** A cluster: records of one kind that are about the same thing. A record is in one cluster at most. */
export const Cluster = v.object({
  id: v.string(),
  /** The kind of its members. It never changes. */
  kind: v.picklist(kindKeys),
  canonical_label: v.string(),
  locked: v.boolean(),
  /** Why it was last locked or unlocked. */
  lock_reason: v.optional(v.string(), ''),
  note: v.string(),
  curated_aliases: v.array(v.string()),
  external_identifiers: v.record(v.string(), v.string()),
  /** Review identities. */
  members: v.array(v.string()),
  contributor_id: v.string(),
  contributor: v.string(),
  public: v.boolean(),
  created_at: v.string(),
  updated_at: v.string(),
  version: v.number(),
})
export type Cluster = v.InferOutput<typeof Cluster>
export type ClusterInput = Partial<
  Pick<Cluster, 'canonical_label' | 'locked' | 'lock_reason' | 'note' | 'curated_aliases' | 'external_identifiers'>
>
/** Names a member: by its integer id in its kind, or by its review identity. */
export type MemberInput = { kind: Kind; id: number | string }

/** Members of a cluster at most. A change of all of them still fits into one transaction. */
export const MAX_MEMBERS = 30

const clusterList = (kind?: string, locked?: boolean) =>
  `CLUSTER${kind === undefined ? '' : `#KIND#${kind}`}${locked === undefined ? '' : `#LOCKED#${locked}`}`

/** Each filter has an index of its own, so a page reads only the items that it shows. */
const indexFor = (kind?: string, locked?: boolean) =>
  kind === undefined ? (locked === undefined ? 'gsi2' : 'gsi3') : locked === undefined ? 'gsi1' : 'gsi4'

const listsOf = ({ kind, locked }: Cluster) =>
  ([[], [kind], [undefined, locked], [kind, locked]] as const).map(([kindFilter, lockFilter]) => ({
    index: indexFor(kindFilter, lockFilter),
    pk: clusterList(kindFilter, lockFilter),
  }))

export const cluster = defineItem({
  type: 'cluster',
  schema: Cluster,
  key: (it: { id: string }) => key.cluster(it.id),
  indexes: (it) =>
    Object.fromEntries(listsOf(it).map(({ index, pk }) => [index, { pk, sk: `${it.created_at}#${it.id}` }])),
  counted: (it) => listsOf(it).map(({ pk }) => pk),
})

/** The cluster of a record. It is written only if the record has none, so no record is in two. It never changes. */
export const membership = defineItem({
  type: 'membership',
  schema: v.object({ entity_id: v.string(), cluster_id: v.string(), version: v.number() }),
  key: (it: { entity_id: string }) => key.clustered(it.entity_id),
})

export const loadCluster = (id: string): Promise<Cluster | undefined> => get(cluster, { id })

/**
 * Creates a cluster. Fails with a field error if the caller may not see one of the members, or if it is in another cluster.
 */
export async function createCluster(
  unit: UnitOfWork,
  kind: Kind,
  input: ClusterInput,
  memberInputs: readonly MemberInput[],
  actor: Actor,
): Promise<Cluster> {
  const at = now()
  const created: Cluster = {
    id: newId(),
    kind: kind.key,
    canonical_label: '',
    locked: false,
    lock_reason: '',
    note: '',
    curated_aliases: [],
    external_identifiers: {},
    ...input,
    members: await checkMembers(kind, memberInputs, actor),
    contributor_id: actor.id,
    contributor: actor.username,
    public: true,
    created_at: at,
    updated_at: at,
    version: 1,
  }
  unit.add([
    put(cluster, created, undefined),
    ...indexWrites(undefined, nameEntryOf(created)),
    ...joinWrites(created, created.members),
  ])
  return created
}

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
  const members = memberInputs ? await membersAfter(old, memberInputs, actor) : old.members
  if (says(old, { ...input, members })) return old
  const next = withNextVersion<Cluster>(old, { ...input, members, updated_at: now() })
  unit.add([
    put(cluster, next, old),
    ...indexWrites(nameEntryOf(old), nameEntryOf(next)),
    ...leaveWrites(
      old,
      old.members.filter((id) => !members.includes(id)),
    ),
    ...joinWrites(
      next,
      members.filter((id) => !old.members.includes(id)),
    ),
  ])
  return next
}

/**
 * Locks or unlocks a cluster. Fails with `conflict` if the cluster is not at the expected version, or is in that state
 * already.
 */
export async function setClusterLock(
  unit: UnitOfWork,
  old: Cluster,
  locked: boolean,
  { reason, expected_version }: { reason: string; expected_version?: number | undefined },
  actor: Actor,
): Promise<Cluster> {
  if (expected_version !== undefined && expected_version !== old.version)
    throw conflict(`The cluster has changed since: it is at version ${old.version}.`)
  if (old.locked === locked) throw conflict(`The cluster is ${locked ? phrase('locked') : phrase('not locked')}.`)
  return amendCluster(unit, old, { locked, lock_reason: reason }, undefined, actor)
}

/** Loads the members that the caller may see, oldest first. */
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

/** The heading under which search files a cluster: its kind and whether it is locked. Example: `structure|false`. */
export const clusterHeading = ({ kind, locked }: Pick<Cluster, 'kind' | 'locked'>): string => `${kind}|${locked}`

/** The kind under which the name index holds clusters. */
export const CLUSTER_NAMES = 'entity_cluster'

/** Loads clusters in the order of their ids, each once. */
export async function loadClusters(ids: readonly string[]): Promise<Cluster[]> {
  const items = await getMany(ids.map(key.cluster))
  return [...new Set(ids)].flatMap((id) => itemIn(items, cluster, { id }) ?? [])
}

/** Loads records, by review identity. */
export async function loadRecords(ids: readonly string[], consistent = false): Promise<Map<string, RecordItem>> {
  const items = await getMany(ids.map(key.head), consistent)
  return new Map([...items.values()].map((item) => parse(recordItem, item)).map((record) => [record.entity_id, record]))
}

/** Whether the caller may see a record as a member. */
export const isVisibleMember = (record: RecordItem, actor: Actor | null) => !record.deleted_at && maySee(actor, record)

const nameEntryOf = ({ id, canonical_label, curated_aliases }: Cluster): Indexed => ({
  entity_id: id,
  kind: CLUSTER_NAMES,
  id,
  names: [canonical_label, ...curated_aliases],
})

/** Returns the review identities of members. Fails unless each is a record of this kind that the caller may see. */
async function checkMembers(kind: Kind, inputs: readonly MemberInput[], actor: Actor): Promise<string[]> {
  const ids = [...new Set(inputs.map(entityIdOf))]
  const records = await loadRecords(ids, true)
  const areFit = ids.every((id) => {
    const record = records.get(id)
    return record !== undefined && record.kind === kind.key && isVisibleMember(record, actor)
  })
  if (!areFit || inputs.some((input) => input.kind.key !== kind.key))
    throw invalid({ members: [`There is no ${kind.label.toLowerCase()} with one of these ids.`] })
  return ids
}

/**
 * Returns the members after a change. Members that the caller may not see stay: the list that the caller read and sent
 * back did not contain them.
 */
async function membersAfter(old: Cluster, inputs: readonly MemberInput[], actor: Actor): Promise<string[]> {
  const sent = await checkMembers(kinds[old.kind], inputs, actor)
  const records = await loadRecords(old.members)
  const hidden = old.members.filter((id) => {
    const record = records.get(id)
    return record !== undefined && !isVisibleMember(record, actor)
  })
  const members = [...new Set([...hidden, ...sent])]
  if (members.length > MAX_MEMBERS) throw invalid({ members: [`A cluster gathers at most ${MAX_MEMBERS} records.`] })
  return members
}

const entityIdOf = ({ kind, id }: MemberInput) =>
  typeof id === 'number' && kind.record ? recordId(kind.code, id) : (addressOf(String(id))?.record ?? String(id))

const joinWrites = ({ id }: Cluster, members: readonly string[]): Write[] =>
  members.map((entity_id) =>
    put(membership, { entity_id, cluster_id: id, version: 1 }, undefined, () =>
      invalid({ members: ['One of these records is in another cluster.'] }),
    ),
  )

const leaveWrites = ({ id }: Cluster, members: readonly string[]): Write[] =>
  members.map((entity_id) => remove(membership, { entity_id, cluster_id: id, version: 1 }))
