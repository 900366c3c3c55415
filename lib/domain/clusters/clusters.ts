import * as v from 'valibot'
import { newId, now } from '../../base/clock.ts'
import { conflict, invalid } from '../../base/errors.ts'
import { addressOf, recordId } from '../../base/ids/address.ts'
import { phrase } from '../../base/language/phrase.ts'
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
/** A member as a body names it: by the id of its kind, or by its review identity. */
export type MemberInput = { kind: Kind; id: number | string }

/** The most members of a cluster. A change of all of them still fits into one transaction. */
export const MOST_MEMBERS = 30

const clusterList = (kind?: string, locked?: boolean) =>
  `CLUSTER${kind === undefined ? '' : `#KIND#${kind}`}${locked === undefined ? '' : `#LOCKED#${locked}`}`

/** Each filter has an index of its own, so a page reads only what it shows. */
const indexFor = (kind?: string, locked?: boolean) =>
  kind === undefined ? (locked === undefined ? 'gsi2' : 'gsi3') : locked === undefined ? 'gsi1' : 'gsi4'

const listsOf = (it: Cluster) =>
  ([[], [it.kind], [undefined, it.locked], [it.kind, it.locked]] as const).map(([kind, locked]) => ({
    index: indexFor(kind, locked),
    pk: clusterList(kind, locked),
  }))

export const cluster = defineItem({
  type: 'cluster',
  schema: Cluster,
  key: (it: { id: string }) => key.cluster(it.id),
  indexes: (it) =>
    Object.fromEntries(listsOf(it).map(({ index, pk }) => [index, { pk, sk: `${it.created_at}#${it.id}` }])),
  counted: (it) => listsOf(it).map(({ pk }) => pk),
})

/** Says in which cluster a record is. It is written only where none exists, so a record cannot be in two. Never changed. */
export const membership = defineItem({
  type: 'membership',
  schema: v.object({ entity_id: v.string(), cluster_id: v.string(), version: v.number() }),
  key: (it: { entity_id: string }) => key.clustered(it.entity_id),
})

export const loadCluster = (id: string): Promise<Cluster | undefined> => get(cluster, { id })

/** Creates a cluster. Fails with a field error on members that the caller may not see, or that are in another cluster. */
export async function createCluster(
  unit: UnitOfWork,
  kind: Kind,
  changes: ClusterInput,
  named: readonly MemberInput[],
  actor: Actor,
): Promise<Cluster> {
  const at = now()
  const made: Cluster = {
    id: newId(),
    kind: kind.key,
    canonical_label: '',
    locked: false,
    lock_reason: '',
    note: '',
    curated_aliases: [],
    external_identifiers: {},
    ...changes,
    members: await checkMembers(kind, named, actor),
    contributor_id: actor.id,
    contributor: actor.username,
    public: true,
    created_at: at,
    updated_at: at,
    version: 1,
  }
  unit.add([
    put(cluster, made, undefined),
    ...indexWrites(undefined, nameEntryOf(made)),
    ...joinWrites(made, made.members),
  ])
  return made
}

/**
 * Changes a cluster. Without `named` its members stay. Fails as `createCluster` does, and with `conflict` if somebody
 * else was faster.
 */
export async function amendCluster(
  unit: UnitOfWork,
  old: Cluster,
  changes: ClusterInput,
  named: readonly MemberInput[] | undefined,
  actor: Actor,
): Promise<Cluster> {
  const members = named ? await membersAfter(old, named, actor) : old.members
  if (says(old, { ...changes, members })) return old
  const next = withNextVersion<Cluster>(old, { ...changes, members, updated_at: now() })
  unit.add([
    put(cluster, next, old),
    ...indexWrites(nameEntryOf(old), nameEntryOf(next)),
    ...leaveWrites(
      old.members.filter((id) => !members.includes(id)),
      old,
    ),
    ...joinWrites(
      next,
      members.filter((id) => !old.members.includes(id)),
    ),
  ])
  return next
}

/**
 * Locks or unlocks a cluster. Fails with `conflict` if it has another version than expected, or is in that state already.
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

/** The members that the caller may see, oldest first. One call. */
export async function loadMembers(it: Cluster, actor: Actor | null): Promise<RecordItem[]> {
  const heads = await loadRecords(it.members)
  return it.members.flatMap((id) => heads.get(id) ?? []).filter((one) => isVisibleMember(one, actor))
}

export type ClusterFilter = {
  kind?: string | undefined
  locked?: boolean | undefined
  forward?: boolean | undefined
}
export type ClusterPage = { count: number; results: Cluster[]; first?: string | undefined; last?: string | undefined }

/** One page of the clusters, newest first unless `forward`. */
export async function listClusters({ kind, locked, forward }: ClusterFilter, place: PageRequest): Promise<ClusterPage> {
  const pk = clusterList(kind, locked)
  const partitions = [{ index: indexFor(kind, locked), pk }] as const
  const listing = await readList({ partitions, counted: [pk], ...(forward && { forward }) }, place)
  return { ...listing, results: listing.items.map((item) => parse(cluster, item)) }
}

/** The heading under which search files a cluster: its kind and whether it is locked. */
export const clusterHeading = ({ kind, locked }: Pick<Cluster, 'kind' | 'locked'>): string => `${kind}|${locked}`

/** The kind under which the index of names holds clusters. */
export const CLUSTER_NAMES = 'entity_cluster'

/** Loads clusters by their ids: in that order, each once. */
export async function loadClusters(ids: readonly string[]): Promise<Cluster[]> {
  const found = await getMany(ids.map(key.cluster))
  return [...new Set(ids)].flatMap((id) => itemIn(found, cluster, { id }) ?? [])
}

/** Loads records by their review identities. */
export async function loadRecords(ids: readonly string[], consistent = false): Promise<Map<string, RecordItem>> {
  const found = await getMany(ids.map(key.head), consistent)
  return new Map([...found.values()].map((item) => parse(recordItem, item)).map((it) => [it.entity_id, it]))
}

/** Whether the caller may see a record as a member. */
export const isVisibleMember = (it: RecordItem, actor: Actor | null) => !it.deleted_at && maySee(actor, it)

const nameEntryOf = (it: Cluster): Indexed => ({
  entity_id: it.id,
  kind: 'entity_cluster',
  id: it.id,
  names: [it.canonical_label, ...it.curated_aliases],
})

async function checkMembers(kind: Kind, named: readonly MemberInput[], actor: Actor): Promise<string[]> {
  const ids = [...new Set(named.map(entityIdOf))]
  const heads = await loadRecords(ids, true)
  const good = ids.every((id) => {
    const it = heads.get(id)
    return it !== undefined && it.kind === kind.key && isVisibleMember(it, actor)
  })
  if (!good || named.some((one) => one.kind.key !== kind.key))
    throw invalid({ members: [`There is no ${kind.label.toLowerCase()} with one of these ids.`] })
  return ids
}

/**
 * The members after a change. Those that the caller cannot see stay, since the list that they read and sent back did not
 * hold them.
 */
async function membersAfter(old: Cluster, named: readonly MemberInput[], actor: Actor): Promise<string[]> {
  const wanted = await checkMembers(kinds[old.kind], named, actor)
  const heads = await loadRecords(old.members)
  const hidden = old.members.filter((id) => {
    const it = heads.get(id)
    return it !== undefined && !isVisibleMember(it, actor)
  })
  const members = [...new Set([...hidden, ...wanted])]
  if (members.length > MOST_MEMBERS) throw invalid({ members: [`A cluster gathers at most ${MOST_MEMBERS} records.`] })
  return members
}

const entityIdOf = ({ kind, id }: MemberInput) =>
  typeof id === 'number' && kind.record ? recordId(kind.code, id) : (addressOf(String(id))?.record ?? String(id))

const joinWrites = (it: Cluster, ids: readonly string[]): Write[] =>
  ids.map((entity_id) =>
    put(membership, { entity_id, cluster_id: it.id, version: 1 }, undefined, () =>
      invalid({ members: ['One of these records is in another cluster.'] }),
    ),
  )

const leaveWrites = (ids: readonly string[], it: Cluster): Write[] =>
  ids.map((entity_id) => remove(membership, { entity_id, cluster_id: it.id, version: 1 }))
