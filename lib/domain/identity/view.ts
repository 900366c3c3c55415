import * as v from 'valibot'
import * as s from '../../base/shapes.ts'
import { distanceInMetres, fold } from '../../engines/matching/index.ts'
import { idOf, memberView, typeScopeOf } from '../clusters/view.ts'
import { kinds } from '../kinds/index.ts'
import type { Assertion, RecordItem } from '../records/items.ts'
import type { CandidateWithRecords } from './candidates.ts'
import { candidateStatuses } from './items.ts'
import type { Identity, SeenCluster } from './summary.ts'

const SideView = s.shape('CandidateSide', () =>
  v.object({ entity_type: s.text, entity_id: v.union([s.whole, s.uuid]), title: s.text }),
)
const SignalsView = s.shape('CandidateSignals', () =>
  v.object({
    same_normalized_name: v.optional(v.object({ model: s.text, normalized: s.text })),
    similar_label: v.optional(v.object({ left_label: s.text, right_label: s.text })),
    distance: v.optional(v.object({ metres: s.whole })),
  }),
)
export const IdentityCandidateView = s.shape('IdentityCandidate', () =>
  v.object({
    id: s.uuid,
    left: SideView,
    right: SideView,
    signal_scores: SignalsView,
    status: s.oneOf(candidateStatuses),
    notes: s.text,
    created_at: s.time,
    updated_at: s.time,
  }),
)
export const ResolvedCandidateView = s.shape('ResolvedCandidate', () =>
  v.object({ candidate: IdentityCandidateView, created_assertion_ids: v.array(s.uuid) }),
)

/** Shows a candidate. `signal_scores` says what the two have in common, as they are now. */
export const candidateView = ({ candidate: it, left, right }: CandidateWithRecords) => ({
  id: it.id,
  left: sideOf(left),
  right: sideOf(right),
  signal_scores: signalsOf(left, right),
  status: it.status,
  notes: it.notes,
  created_at: it.created_at,
  updated_at: it.updated_at,
})

const sideOf = (record: RecordItem) => ({
  entity_type: typeScopeOf(kinds[record.kind]),
  entity_id: idOf(record),
  title: record.name,
})

function signalsOf(left: RecordItem, right: RecordItem) {
  const normalized = fold(left.name)
  const name =
    normalized === fold(right.name)
      ? { same_normalized_name: { model: typeScopeOf(kinds[left.kind]), normalized } }
      : { similar_label: { left_label: left.name, right_label: right.name } }
  const metres = left.point && right.point ? Math.round(distanceInMetres(left.point, right.point)) : undefined
  return { ...name, ...(metres !== undefined && { distance: { metres } }) }
}

/** Types of sources, from the most trusted to the least, as far as claims of identity go. */
const sourceTypeOrder = ['inscription', 'archival', 'published', 'field_survey', 'oral_history', 'web'] as const

const ChainView = s.shape('MembershipClaim', () =>
  v.object({
    assertion_id: s.uuid,
    source_type: s.text,
    source_name: s.text,
    source_rank: s.whole,
    confidence: s.text,
    reconciliation_status: s.text,
    contributed_by: s.text,
    source_citation: s.text,
    assertion_content: s.text,
    created_at: s.time,
  }),
)
export const IdentitySummaryView = s.shape('IdentitySummary', () =>
  v.object({
    entity_type: s.text,
    entity_id: s.whole,
    competing: v.boolean(),
    canonical_label: s.maybe(s.text),
    primary_cluster_id: s.maybe(s.uuid),
    alias_titles: v.array(s.text),
    membership_assertion_ids: v.array(s.uuid),
    source_type_order: v.array(s.text),
    clusters: v.array(
      v.object({
        cluster_id: s.uuid,
        canonical_label: s.text,
        locked: v.boolean(),
        evidence_count: s.whole,
        best_source_type: s.maybe(s.text),
        best_source_rank: s.maybe(s.whole),
        subject_membership_chain: v.array(ChainView),
        members: v.array(
          v.object({
            entity_type: s.text,
            entity_id: v.union([s.whole, s.uuid]),
            display_title: s.text,
            membership_assertion_id: s.maybe(s.uuid),
          }),
        ),
      }),
    ),
  }),
)

/** The rank of a type of source, 0 the best. Types that are not in the order come last. */
const rankOf = (source_type: string) => {
  const rank = sourceTypeOrder.map(String).indexOf(source_type)
  return rank < 0 ? sourceTypeOrder.length : rank
}

/** Shows what a record is held to be. With rivals there is no canonical label. */
export function summaryView(
  { entity_type, entity_id }: { entity_type: string; entity_id: number },
  { record, clusters, sources }: Identity,
) {
  const competing = clusters.length > 1
  const [own] = competing ? [] : clusters
  const shown = clusters.map((it) => seenClusterView(it, record, sources))
  return {
    entity_type,
    entity_id,
    competing,
    canonical_label: own?.cluster.canonical_label ?? null,
    primary_cluster_id: own?.cluster.id ?? null,
    alias_titles: own ? aliasesOf(own) : [],
    membership_assertion_ids: shown.flatMap(({ subject_membership_chain }) =>
      subject_membership_chain.map(({ assertion_id }) => assertion_id),
    ),
    source_type_order: [...sourceTypeOrder],
    clusters: shown,
  }
}

/** Names of the thing beside its label: those that curators gave, and the titles of its records. */
const aliasesOf = ({ cluster, members }: SeenCluster) =>
  [...new Set([...cluster.curated_aliases, ...members.map(({ record }) => record.name)])].filter(
    (title) => title !== cluster.canonical_label,
  )

function seenClusterView(
  { cluster, members }: SeenCluster,
  subject: RecordItem | undefined,
  sources: ReadonlyMap<string, string>,
) {
  const ranked = members.toSorted(
    (a, b) =>
      rankOf(a.claim?.source_type ?? '') - rankOf(b.claim?.source_type ?? '') ||
      (a.record.entity_id < b.record.entity_id ? -1 : 1),
  )
  const claims = ranked.flatMap(({ claim }) => claim ?? [])
  const best = claims.find(({ source_type }) => source_type !== '')
  return {
    cluster_id: cluster.id,
    canonical_label: cluster.canonical_label,
    locked: cluster.locked,
    evidence_count: claims.length,
    best_source_type: best?.source_type ?? null,
    best_source_rank: best ? rankOf(best.source_type) : null,
    subject_membership_chain: claims
      .filter(({ entity_id }) => entity_id === subject?.entity_id)
      .map((claim) => claimCard(claim, sources)),
    members: ranked.map(({ record, claim }) => memberView(record, claim?.id ?? null)),
  }
}

const claimCard = (claim: Assertion, sources: ReadonlyMap<string, string>) => ({
  assertion_id: claim.id,
  source_type: claim.source_type,
  source_name: sources.get(claim.source ?? '') ?? '',
  source_rank: rankOf(claim.source_type),
  confidence: claim.confidence,
  reconciliation_status: claim.reconciliation_status,
  contributed_by: claim.contributed_by,
  source_citation: claim.source_citation,
  assertion_content: claim.assertion_content,
  created_at: claim.created_at,
})
