import * as v from 'valibot'
import * as s from '../../base/shapes.ts'
import { type Kind, type KindKey, kindKeys, kinds } from '../kinds/index.ts'
import { namesOf } from '../names/text.ts'
import type { RecordItem } from '../records/items.ts'
import { publicStatus } from '../records/views/record.ts'
import type { Cluster } from './clusters.ts'
import { type Candidate, isGenericName, SAME_NAME } from './duplicates.ts'

/** The name of a kind in the answers on clusters. */
export const typeScopeOf = (kind: Kind) => kind.typeScope ?? kind.key

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

/** A cluster without its members, which depend on the reader. */
export const clusterView = (it: Cluster) => ({
  id: it.id,
  canonical_label: it.canonical_label,
  name: it.canonical_label,
  type_scope: typeScopeOf(kinds[it.kind]),
  registry_key: it.kind,
  locked: it.locked,
  lock_reason: it.lock_reason,
  note: it.note,
  version: it.version,
  merged_into: null,
  curated_aliases: it.curated_aliases,
  external_identifiers: sortedByName(it.external_identifiers),
  contributor: it.contributor,
  created_at: it.created_at,
  updated_at: it.updated_at,
})

/** The table does not keep the order of members. */
const sortedByName = (texts: Record<string, string>): Record<string, string> =>
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

/** A record as a member. `membership_assertion_id` is null: curators name members without an assertion. */
export const memberView = (it: RecordItem) => ({
  entity_type: typeScopeOf(kinds[it.kind]),
  entity_id: idOf(it),
  display_title: it.name,
  membership_assertion_id: null,
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

/** The answer to `suggest-duplicates`, which a form asks before it creates a record. */
export function suggestionsView(text: string, rivals: readonly Candidate[], withMembers: boolean) {
  const alike = isGenericName(text) ? [] : rivals.filter((it) => it.score >= SAME_NAME)
  const several: Recommendation = alike.length > 1 ? 'review_merge' : 'edit_existing'
  return {
    results: rivals.map((it) => ({
      ...candidateView(it, withMembers),
      recommendation: alike.includes(it) ? several : 'edit_existing',
    })),
    recommendation: alike.length === 0 ? 'create_new' : several,
  }
}

/** The most members that are shown of a candidate. */
const MOST_MEMBERS = 8

function candidateView({ cluster, kind, members }: Candidate, withMembers: boolean) {
  const ranked = members
    .map((it) => ({ it, score: completeness(it) }))
    .sort((a, b) => Number(b.it.public) - Number(a.it.public) || b.score - a.score)
    .map(({ it, score }) => recordView(it, score))
  const first = members[0]
  const [label = '', ...others] = first && !cluster ? namesOf(first.name, first.data) : []
  return {
    id: cluster?.id ?? first?.entity_id ?? '',
    canonical_label: cluster?.canonical_label ?? label,
    type_scope: typeScopeOf(kinds[kind]),
    registry_key: kind,
    curated_aliases: cluster?.curated_aliases ?? others,
    external_identifiers: sortedByName(cluster?.external_identifiers ?? {}),
    member_count: members.length,
    canonical_member: ranked[0] ?? null,
    members: withMembers ? ranked.slice(0, MOST_MEMBERS) : [],
  }
}

const recordView = (it: RecordItem, completeness_score: number) => ({
  entity_type: typeScopeOf(kinds[it.kind]),
  entity_id: idOf(it),
  display_title: it.name,
  registry_key: it.kind,
  completeness_score,
  status: publicStatus(it),
})

/** The share of the kind's fields that are filled, rounded to hundredths. */
function completeness(it: RecordItem): number {
  const fields = Object.keys(kinds[it.kind].fields)
  return Math.round((fields.filter((name) => it.data[name] !== undefined).length / fields.length) * 100) / 100
}

const idOf = (it: RecordItem) => (hasNumbers(it.kind) ? it.id : it.entity_id)
const hasNumbers = (kind: KindKey) => kinds[kind].record
