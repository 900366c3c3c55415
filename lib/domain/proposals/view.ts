import type { PeopleById } from '../../platform/users/people.ts'
import type { EntityContent, Proposal, ProposalStep, RelationshipContent } from './items.ts'
import { findPredicate } from './relationship.ts'

const lifeOf = (it: Proposal, people: PeopleById) => ({
  id: it.id,
  author: it.author_id,
  author_username: people(it.author_id)?.username ?? '',
  status: it.status,
  moderator_comment: it.moderator_comment,
  submitted_at: it.submitted_at,
  resolved_at: it.resolved_at,
  created_at: it.created_at,
  updated_at: it.updated_at,
})

/** Shows a proposal that records are one thing. It has the kind and id of each record, as the author gave them, and no name. */
const entityRow = (it: Proposal, content: EntityContent, people: PeopleById) => ({
  ...lifeOf(it, people),
  canonical_label: content.canonical_label,
  aliases: content.aliases,
  type_scope: content.type_scope,
  anchor_records: content.anchor_records,
  supporting_source_ids: content.supporting_source_ids,
  contributor_note: content.contributor_note,
  external_identifiers: content.external_identifiers,
  resolution_mode: content.resolution_mode,
  existing_cluster: content.existing_cluster,
  materialized_cluster: it.made,
})

/** Shows a proposal that two records have a relationship, without the names of the two. */
function relationshipRow(it: Proposal, content: RelationshipContent, people: PeopleById) {
  const known = findPredicate(content.predicate)
  return {
    ...lifeOf(it, people),
    predicate: known?.id ?? content.predicate,
    predicate_code: known?.code ?? '',
    predicate_label: known?.label ?? '',
    predicate_inverse_label: known?.inverse_label ?? '',
    subject_entity_type: content.subject.entity_type,
    subject_entity_id: content.subject.entity_id,
    object_entity_type: content.object.entity_type,
    object_entity_id: content.object.entity_id,
    primary_source: content.primary_source,
    supporting_source_ids: content.supporting_source_ids,
    temporal_scope_edtf: content.temporal_scope_edtf,
    confidence: content.confidence,
    interpretation_note: content.interpretation_note,
    materialized_assertion: it.made,
  }
}

/** Shows proposals that records are one thing. Others are left out. */
export const entityRows = (all: readonly Proposal[], people: PeopleById) =>
  all.flatMap((it) => (it.content.sort === 'entity' ? [entityRow(it, it.content, people)] : []))

/** Shows proposals of relationships. Others are left out. */
export const relationshipRows = (all: readonly Proposal[], people: PeopleById) =>
  all.flatMap((it) => (it.content.sort === 'relationship' ? [relationshipRow(it, it.content, people)] : []))

export const stepView = (it: ProposalStep, people: PeopleById) => ({
  id: it.id,
  action: it.action,
  from_status: it.from_status,
  to_status: it.to_status,
  comment: it.comment,
  actor_username: people(it.actor_id)?.username ?? '',
  created_at: it.created_at,
})
