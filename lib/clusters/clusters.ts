import * as v from 'valibot'
import { newId, now } from '../clock.ts'
import { commitWithAnswer } from '../commit.ts'
import { conflict, invalid } from '../errors.ts'
import { addressOf, recordId } from '../ids/address.ts'
import { type Kind, kindKeys, kinds } from '../kinds/index.ts'
import { phrase } from '../language/phrase.ts'
import { type Indexed, indexWrites } from '../names/index.ts'
import { type Actor, maySee } from '../permissions.ts'
import { type RecordItem, recordItem } from '../records/items.ts'
import { amended, defineItem, parse, put, remove, says, type Write } from '../table/item.ts'
import { key } from '../table/keys.ts'
import { type PageRequest, readList } from '../table/pages.ts'
import { get, getMany, itemIn } from '../table/read.ts'

/** Clusters: records of one kind that are held to be about the same thing. A record is in one cluster at most. */
export const Cluster = v.object({
  id: v.string(),
  /** The registry key of what it gathers; it never changes. */
  kind: v.picklist(kindKeys),
  canonical_label: v.string(),
  locked: v.boolean(),
  /** Why it was locked or unlocked the last time. */
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
export type Changes = Partial<
  Pick<Cluster, 'canonical_label' | 'locked' | 'lock_reason' | 'note' | 'curated_aliases' | 'external_identifiers'>
>
/** A record as a cluster's body names it: by the id of its kind, or by its review identity. */
export type MemberInput = { kind: Kind; id: number | string }

/** At most this many records are in one cluster: a change of all of them still fits into one transaction. */
export const MOST_MEMBERS = 30

const listOf = (kind?: string, locked?: boolean) =>
  `CLUSTER${kind === undefined ? '' : `#KIND#${kind}`}${locked === undefined ? '' : `#LOCKED#${locked}`}`

/** One index for each way to filter, so that every list is exact without reading past what it shows. */
const indexOf = (kind?: string, locked?: boolean) =>
  kind === undefined ? (locked === undefined ? 'gsi2' : 'gsi3') : locked === undefined ? 'gsi1' : 'gsi4'

const waysOf = (it: Cluster) =>
  ([[], [it.kind], [undefined, it.locked], [it.kind, it.locked]] as const).map(([kind, locked]) => ({
    index: indexOf(kind, locked),
    pk: listOf(kind, locked),
  }))

export const cluster = defineItem({
  type: 'cluster',
  schema: Cluster,
  key: (it: { id: string }) => key.cluster(it.id),
  indexes: (it) =>
    Object.fromEntries(waysOf(it).map(({ index, pk }) => [index, { pk, sk: `${it.created_at}#${it.id}` }])),
  counted: (it) => waysOf(it).map(({ pk }) => pk),
})

/** Says in which cluster a record is. It is made and removed, never changed. */
export const membership = defineItem({
  type: 'membership',
  schema: v.object({ entity_id: v.string(), cluster_id: v.string(), version: v.number() }),
  key: (it: { entity_id: string }) => key.clustered(it.entity_id),
})

export const load = (id: string): Promise<Cluster | undefined> => get(cluster, { id })

/** Makes a cluster. Fails with a field error on members that the caller may not see or that are in another cluster. */
export async function create(
  kind: Kind,
  changes: Changes,
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
    members: await recordsNamed(kind, named, actor),
    contributor_id: actor.id,
    contributor: actor.username,
    public: true,
    created_at: at,
    updated_at: at,
    version: 1,
  }
  commitWithAnswer([
    put(cluster, made, undefined),
    ...indexWrites(undefined, findable(made)),
    ...joining(made, made.members),
  ])
  return made
}

/** Changes a cluster; without `named` its members stay. Fails as `create` does, and with `conflict` when someone else was faster. */
export async function amend(
  old: Cluster,
  changes: Changes,
  named: readonly MemberInput[] | undefined,
  actor: Actor,
): Promise<Cluster> {
  const members = named ? await membersAfter(old, named, actor) : old.members
  if (says(old, { ...changes, members })) return old
  const next = amended<Cluster>(old, { ...changes, members, updated_at: now() })
  commitWithAnswer([
    put(cluster, next, old),
    ...indexWrites(findable(old), findable(next)),
    ...leaving(
      old.members.filter((id) => !members.includes(id)),
      old,
    ),
    ...joining(
      next,
      members.filter((id) => !old.members.includes(id)),
    ),
  ])
  return next
}

/** Locks or unlocks a cluster. Fails with `conflict` when it is not at the version that was expected, or is so already. */
export async function setLock(
  old: Cluster,
  locked: boolean,
  { reason, expected_version }: { reason: string; expected_version?: number | undefined },
  actor: Actor,
): Promise<Cluster> {
  if (expected_version !== undefined && expected_version !== old.version)
    throw conflict(`The cluster has changed since: it is at version ${old.version}.`)
  if (old.locked === locked) throw conflict(`The cluster is ${locked ? phrase('locked') : phrase('not locked')}.`)
  return amend(old, { locked, lock_reason: reason }, undefined, actor)
}

/** The members that the caller may see, in the order in which they were added. One call. */
export async function membersOf(it: Cluster, actor: Actor | null): Promise<RecordItem[]> {
  const heads = await headsOf(it.members)
  return it.members.flatMap((id) => heads.get(id) ?? []).filter((one) => isShown(one, actor))
}

export type Filter = {
  kind?: string | undefined
  locked?: boolean | undefined
  forward?: boolean | undefined
}
export type Clusters = { count: number; results: Cluster[]; first?: string | undefined; last?: string | undefined }

/** One page of the clusters, newest first unless `forward`. */
export async function list({ kind, locked, forward }: Filter, place: PageRequest): Promise<Clusters> {
  const pk = listOf(kind, locked)
  const partitions = [{ index: indexOf(kind, locked), pk }] as const
  const listing = await readList({ partitions, counted: [pk], ...(forward && { forward }) }, place)
  return { ...listing, results: listing.items.map((item) => parse(cluster, item)) }
}

/** What a list is filtered by, as one text. */
export const headingOf = ({ kind, locked }: Pick<Cluster, 'kind' | 'locked'>): string => `${kind}|${locked}`

/** The kind under which the names of clusters are. */
export const CLUSTER_NAMES = 'entity_cluster'

/** Stored clusters by their ids, in that order, each once. */
export async function clustersOf(ids: readonly string[]): Promise<Cluster[]> {
  const found = await getMany(ids.map(key.cluster))
  return [...new Set(ids)].flatMap((id) => itemIn(found, cluster, { id }) ?? [])
}

/** Stored records by their review identities. */
export async function headsOf(ids: readonly string[], consistent = false): Promise<Map<string, RecordItem>> {
  const found = await getMany(ids.map(key.head), consistent)
  return new Map([...found.values()].map((item) => parse(recordItem, item)).map((it) => [it.entity_id, it]))
}

/** Whether the caller may be told of a record as a member. */
export const isShown = (it: RecordItem, actor: Actor | null) => !it.deleted_at && maySee(actor, it)

const findable = (it: Cluster): Indexed => ({
  entity_id: it.id,
  kind: 'entity_cluster',
  id: it.id,
  names: [it.canonical_label, ...it.curated_aliases],
})

async function recordsNamed(kind: Kind, named: readonly MemberInput[], actor: Actor): Promise<string[]> {
  const ids = [...new Set(named.map(entityIdOf))]
  const heads = await headsOf(ids, true)
  const good = ids.every((id) => {
    const it = heads.get(id)
    return it !== undefined && it.kind === kind.key && isShown(it, actor)
  })
  if (!good || named.some((one) => one.kind.key !== kind.key))
    throw invalid({ members: [`There is no ${kind.label.toLowerCase()} with one of these ids.`] })
  return ids
}

/** What the caller cannot see stays: a list that was read, changed and sent back does not hold it. */
async function membersAfter(old: Cluster, named: readonly MemberInput[], actor: Actor): Promise<string[]> {
  const wanted = await recordsNamed(kinds[old.kind], named, actor)
  const heads = await headsOf(old.members)
  const hidden = old.members.filter((id) => {
    const it = heads.get(id)
    return it !== undefined && !isShown(it, actor)
  })
  const members = [...new Set([...hidden, ...wanted])]
  if (members.length > MOST_MEMBERS) throw invalid({ members: [`A cluster gathers at most ${MOST_MEMBERS} records.`] })
  return members
}

const entityIdOf = ({ kind, id }: MemberInput) =>
  typeof id === 'number' && kind.record ? recordId(kind.code, id) : (addressOf(String(id))?.record ?? String(id))

const joining = (it: Cluster, ids: readonly string[]): Write[] =>
  ids.map((entity_id) =>
    put(membership, { entity_id, cluster_id: it.id, version: 1 }, undefined, () =>
      invalid({ members: ['One of these records is in another cluster.'] }),
    ),
  )

const leaving = (ids: readonly string[], it: Cluster): Write[] =>
  ids.map((entity_id) => remove(membership, { entity_id, cluster_id: it.id, version: 1 }))
