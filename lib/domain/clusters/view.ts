import * as v from 'valibot'
import * as s from '../../base/shapes.ts'
import { type Kind, kindKeys, kinds } from '../kinds/index.ts'
import { namesOf } from '../names/text.ts'
import type { RecordItem } from '../records/items.ts'
import { publicStatus } from '../records/views/record.ts'
import type { DuplicateCandidate } from './duplicates.ts'
import type { Cluster } from './items.ts'

/** The name of a kind in the answers on clusters. */
export const typeScopeOf = (kind: Kind) => kind.typeScope ?? kind.key

/** Kinds whose records may be in a cluster: all that are reviewed. */
export const clusteredKinds: readonly Kind[] = Object.values(kinds).filter((it) => it.record || it.key === 'entity')
export const clusterScopes = clusteredKinds.map(typeScopeOf)

export const ClusterView = s.shape('Cluster', () =>
  v.object({
    id: s.uuid,
    canonical_label: s.text,
    name: s.text,
    type_scope: s.text,
    registry_key: s.oneOf(kindKeys),
    locked: v.boolean(),
    lock_reason: s.text,
    note: s.text,
    version: s.whole,
    merged_into: s.maybe(s.uuid),
    curated_aliases: v.array(s.text),
    external_identifiers: v.record(v.string(), s.text),
    contributor: s.text,
    created_at: s.time,
    updated_at: s.time,
  }),
)

/** Shows a cluster without its members, which depend on the reader. */
export const clusterView = (cluster: Cluster) => ({
  id: cluster.id,
  canonical_label: cluster.canonical_label,
  name: cluster.canonical_label,
  type_scope: typeScopeOf(kinds[cluster.kind]),
  registry_key: cluster.kind,
  locked: cluster.locked,
  lock_reason: cluster.lock_reason,
  note: cluster.note,
  version: cluster.version,
  merged_into: cluster.merged_into,
  curated_aliases: cluster.curated_aliases,
  external_identifiers: sortByName(cluster.external_identifiers),
  contributor: cluster.contributor,
  created_at: cluster.created_at,
  updated_at: cluster.updated_at,
})

/** DynamoDB does not keep the order of members, and equal clusters must give equal answers. */
const sortByName = (texts: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(texts).sort(([a], [b]) => (a < b ? -1 : 1)))

const recordId = () => v.union([s.whole, s.uuid])
export const ClusterMembersView = s.shape('ClusterMembers', () =>
  v.object({
    cluster_id: s.uuid,
    members: v.array(
      v.object({
        entity_type: s.text,
        entity_id: recordId(),
        display_title: s.text,
        membership_assertion_id: s.maybe(s.uuid),
      }),
    ),
  }),
)

/** `new_cluster_ids`: all clusters of `cluster_ids` but the one that was split. They are new, or are restored from an earlier merge. */
export const SplitView = s.shape('ClusterSplit', () =>
  v.object({ new_cluster_ids: v.array(s.uuid), cluster_ids: v.array(s.uuid), audit_event_id: s.uuid }),
)

/**
 * Shows a record as a member. `membership_assertion_id` is the claim of membership; null for a member that joined before memberships were
 * claims.
 */
export const memberView = (record: RecordItem, membership_assertion_id: string | null) => ({
  entity_type: typeScopeOf(kinds[record.kind]),
  entity_id: idOf(record),
  display_title: record.name,
  membership_assertion_id,
})

type Recommendation = 'create_new' | 'edit_existing' | 'review_merge'

const recommendation = () => s.oneOf(['create_new', 'edit_existing', 'review_merge'])
const CandidateView = s.shape('Candidate', () =>
  v.object({
    entity_type: s.text,
    entity_id: recordId(),
    display_title: s.text,
    registry_key: s.oneOf(kindKeys),
    completeness_score: v.number(),
    status: s.text,
  }),
)
export const SuggestionsView = s.shape('Suggestions', () =>
  v.object({
    results: v.array(
      v.object({
        id: s.uuid,
        canonical_label: s.text,
        type_scope: s.text,
        registry_key: s.oneOf(kindKeys),
        curated_aliases: v.array(s.text),
        external_identifiers: v.record(v.string(), s.text),
        member_count: s.whole,
        canonical_member: s.maybe(CandidateView),
        members: v.array(CandidateView),
        recommendation: recommendation(),
      }),
    ),
    recommendation: recommendation(),
  }),
)

/** The answer of `suggest-duplicates`. A form calls it before it creates a record with the name `text`. */
export function suggestionsView(candidates: readonly DuplicateCandidate[], withMembers: boolean) {
  const sameNamed = candidates.filter(({ alike }) => alike)
  const advice: Recommendation = sameNamed.length > 1 ? 'review_merge' : 'edit_existing'
  return {
    results: candidates.map((candidate) => ({
      ...candidateView(candidate, withMembers),
      recommendation: sameNamed.includes(candidate) ? advice : 'edit_existing',
    })),
    recommendation: sameNamed.length === 0 ? 'create_new' : advice,
  }
}

const MEMBERS_SHOWN = 8

function candidateView({ cluster, kind, members }: DuplicateCandidate, withMembers: boolean) {
  const ranked = members
    .map((record) => ({ record, score: completeness(record) }))
    .sort((a, b) => Number(b.record.public) - Number(a.record.public) || b.score - a.score)
    .map(({ record, score }) => recordView(record, score))
  const first = members[0]
  const [label = '', ...aliases] = first && !cluster ? namesOf(first.name, first.data) : []
  return {
    id: cluster?.id ?? first?.entity_id ?? '',
    canonical_label: cluster?.canonical_label ?? label,
    type_scope: typeScopeOf(kinds[kind]),
    registry_key: kind,
    curated_aliases: cluster?.curated_aliases ?? aliases,
    external_identifiers: sortByName(cluster?.external_identifiers ?? {}),
    member_count: members.length,
    canonical_member: ranked[0] ?? null,
    members: withMembers ? ranked.slice(0, MEMBERS_SHOWN) : [],
  }
}

const recordView = (record: RecordItem, completeness_score: number) => ({
  entity_type: typeScopeOf(kinds[record.kind]),
  entity_id: idOf(record),
  display_title: record.name,
  registry_key: record.kind,
  completeness_score,
  status: publicStatus(record),
})

/** The share of the kind's fields that have a value, from 0 to 1, rounded to hundredths. */
function completeness({ kind, data }: RecordItem): number {
  const fields = Object.keys(kinds[kind].fields)
  return Math.round((fields.filter((name) => data[name] !== undefined).length / fields.length) * 100) / 100
}

/** The id of a record in its kind, or its review identity if its kind has no numbers. */
export const idOf = ({ kind, id, entity_id }: RecordItem) => (kinds[kind].record ? id : entity_id)
