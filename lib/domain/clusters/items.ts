import * as v from 'valibot'
import { defineItem } from '../../engines/table/index.ts'
import { key } from '../../platform/table/keys.ts'
import { kindKeys } from '../kinds/index.ts'

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
  /** The cluster into which this one was merged, and the members that it had then. A merged cluster has no members, and no name finds it. */
  merged_into: v.optional(v.nullable(v.string()), null),
  merged_members: v.optional(v.array(v.string()), []),
  /** The clusters that were merged into this one. A split gives them back what they had. */
  absorbed: v.optional(v.array(v.string()), []),
  contributor_id: v.string(),
  contributor: v.string(),
  public: v.boolean(),
  created_at: v.string(),
  updated_at: v.string(),
  version: v.number(),
})
export type Cluster = v.InferOutput<typeof Cluster>

export const clusterList = (kind?: string, locked?: boolean) =>
  `CLUSTER${kind === undefined ? '' : `#KIND#${kind}`}${locked === undefined ? '' : `#LOCKED#${locked}`}`

/** Each filter has an index of its own, so a page reads only the items that it shows. */
export const indexFor = (kind?: string, locked?: boolean) =>
  kind === undefined ? (locked === undefined ? 'gsi2' : 'gsi3') : locked === undefined ? 'gsi1' : 'gsi4'

/** A cluster that was merged into another one is in no list. */
const listsOf = ({ kind, locked, merged_into }: Cluster) =>
  (merged_into ? [] : ([[], [kind], [undefined, locked], [kind, locked]] as const)).map(([kindFilter, lockFilter]) => ({
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
