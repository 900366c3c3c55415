import * as v from 'valibot'
import * as s from '../../base/shapes.ts'
import { proposalActions, proposalStatuses, resolutionModes } from './items.ts'

// The shapes have a file of their own: every start loads them, while the views are loaded with the first request for proposals.

/** A draft may name a record by any text. */
const recordId = () => v.union([s.whole, s.text])
const lifeMembers = {
  id: s.uuid,
  author: s.uuid,
  author_username: s.text,
  status: s.oneOf(proposalStatuses),
  moderator_comment: s.text,
  submitted_at: s.maybe(s.time),
  resolved_at: s.maybe(s.time),
  created_at: s.time,
  updated_at: s.time,
}

export const EntityProposalView = s.shape('EntityProposal', () =>
  v.object({
    ...lifeMembers,
    canonical_label: s.text,
    aliases: v.array(s.text),
    type_scope: s.text,
    anchor_records: v.array(v.object({ entity_type: s.text, entity_id: recordId() })),
    supporting_source_ids: v.array(s.uuid),
    contributor_note: s.text,
    external_identifiers: v.record(v.string(), s.text),
    resolution_mode: s.oneOf(resolutionModes),
    existing_cluster: s.maybe(s.uuid),
    materialized_cluster: s.maybe(s.uuid),
  }),
)

export const RelationshipProposalView = s.shape('RelationshipProposal', () =>
  v.object({
    ...lifeMembers,
    predicate: s.text,
    predicate_code: s.text,
    predicate_label: s.text,
    predicate_inverse_label: s.text,
    subject_entity_type: s.text,
    subject_entity_id: recordId(),
    object_entity_type: s.text,
    object_entity_id: recordId(),
    primary_source: s.maybe(s.uuid),
    supporting_source_ids: v.array(s.uuid),
    temporal_scope_edtf: s.text,
    confidence: s.text,
    interpretation_note: s.text,
    materialized_assertion: s.maybe(s.uuid),
  }),
)

/** Why a step is not possible now. `conflicts`: the records that are in another cluster, each with that cluster. */
export const ProposalConflictView = s.shape('ProposalConflict', () =>
  v.object({
    detail: s.text,
    conflicts: v.optional(
      v.array(v.object({ entity_type: s.text, entity_id: v.union([s.whole, s.uuid]), cluster_id: s.uuid })),
    ),
  }),
)

export const ProposalStepView = s.shape('ProposalStep', () =>
  v.object({
    id: s.uuid,
    action: s.oneOf(proposalActions),
    from_status: s.oneOf(proposalStatuses),
    to_status: s.oneOf(proposalStatuses),
    comment: s.text,
    actor_username: s.text,
    created_at: s.time,
  }),
)
