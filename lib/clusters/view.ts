import { type Kind, type KindKey, kinds } from '../kinds/index.ts'
import { namesOf } from '../names/text.ts'
import type { RecordItem } from '../records/items.ts'
import { statusOf } from '../records/views/record.ts'
import type { Cluster } from './clusters.ts'
import { ALIKE, type Rival, saysNothing } from './duplicates.ts'

/** What a kind is called where clusters speak of it. */
export const typeScopeOf = (kind: Kind) => kind.typeScope ?? kind.key

/** A cluster without its members, which depend on who asks. */
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

/** A record as a member. No assertion says so yet: curators name members directly. */
export const memberView = (it: RecordItem) => ({
  entity_type: typeScopeOf(kinds[it.kind]),
  entity_id: idOf(it),
  display_title: it.name,
  membership_assertion_id: null,
})

type Recommendation = 'create_new' | 'edit_existing' | 'review_merge'

/** What a form is told before it makes another record of the same thing. */
export function suggestionsView(text: string, rivals: readonly Rival[], withMembers: boolean) {
  const alike = saysNothing(text) ? [] : rivals.filter((it) => it.score >= ALIKE)
  const several: Recommendation = alike.length > 1 ? 'review_merge' : 'edit_existing'
  return {
    results: rivals.map((it) => ({
      ...rivalView(it, withMembers),
      recommendation: alike.includes(it) ? several : 'edit_existing',
    })),
    recommendation: alike.length === 0 ? 'create_new' : several,
  }
}

/** How many members are shown beside a suggestion. */
const MOST_MEMBERS = 8

function rivalView({ cluster, kind, members }: Rival, withMembers: boolean) {
  const ranked = members
    .map((it) => ({ it, score: completeness(it) }))
    .sort((a, b) => Number(b.it.public) - Number(a.it.public) || b.score - a.score)
    .map(({ it, score }) => candidateView(it, score))
  const first = members[0]
  const [label = '', ...others] = first && !cluster ? namesOf(first.name, first.data) : []
  return {
    id: cluster?.id ?? first?.entity_id,
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

const candidateView = (it: RecordItem, completeness_score: number) => ({
  entity_type: typeScopeOf(kinds[it.kind]),
  entity_id: idOf(it),
  display_title: it.name,
  registry_key: it.kind,
  completeness_score,
  status: statusOf(it),
})

/** The share of its kind's fields that say something, in hundredths. */
function completeness(it: RecordItem): number {
  const fields = Object.keys(kinds[it.kind].fields)
  return Math.round((fields.filter((name) => it.data[name] !== undefined).length / fields.length) * 100) / 100
}

const idOf = (it: RecordItem) => (hasNumbers(it.kind) ? it.id : it.entity_id)
const hasNumbers = (kind: KindKey) => kinds[kind].record
