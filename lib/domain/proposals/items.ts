import * as v from 'valibot'
import { defineItem } from '../../engines/table/index.ts'
import type { Subject } from '../../platform/permissions.ts'
import { key } from '../../platform/table/keys.ts'

/** The item types of proposals: that records are one thing, or that two records have a relationship. */

export const proposalSorts = ['entity', 'relationship'] as const
export type ProposalSort = (typeof proposalSorts)[number]
export const proposalStatuses = ['draft', 'submitted', 'approved', 'rejected', 'withdrawn'] as const
export const proposalActions = ['submitted', 'withdrawn', 'approved', 'rejected'] as const
/** The most records that one proposal names. Each pair of them is looked up, and each takes some writes. */
export const MOST_ANCHORS = 10
export const resolutionModes = ['new_cluster', 'link_existing'] as const

/** A record as a proposal names it: a kind, and the number of the record in it or its review identity. */
const Named = v.object({ entity_type: v.string(), entity_id: v.union([v.number(), v.string()]) })
export type Named = v.InferOutput<typeof Named>

/** What the author of a proposal writes. A draft may hold anything; submitting checks it. */
const EntityContent = v.object({
  sort: v.literal('entity'),
  canonical_label: v.string(),
  type_scope: v.string(),
  aliases: v.array(v.string()),
  anchor_records: v.array(Named),
  supporting_source_ids: v.array(v.string()),
  contributor_note: v.string(),
  external_identifiers: v.record(v.string(), v.string()),
  resolution_mode: v.picklist(resolutionModes),
  existing_cluster: v.nullable(v.string()),
})
export type EntityContent = v.InferOutput<typeof EntityContent>

const RelationshipContent = v.object({
  sort: v.literal('relationship'),
  predicate: v.string(),
  subject: Named,
  object: Named,
  primary_source: v.nullable(v.string()),
  supporting_source_ids: v.array(v.string()),
  temporal_scope_edtf: v.string(),
  confidence: v.string(),
  interpretation_note: v.string(),
})
export type RelationshipContent = v.InferOutput<typeof RelationshipContent>
export type ProposalContent = EntityContent | RelationshipContent

const Proposal = v.object({
  id: v.string(),
  author_id: v.string(),
  /** The name of the key with which a machine drafted it. Null if a person did. */
  machine: v.nullable(v.string()),
  status: v.picklist(proposalStatuses),
  content: v.variant('sort', [EntityContent, RelationshipContent]),
  /** The names that this proposal reserves; see `proposalClaim`. */
  claims: v.array(v.string()),
  moderator_comment: v.string(),
  decided_by: v.nullable(v.string()),
  /** What its approval has made: the cluster, or the claim of the relationship. */
  made: v.nullable(v.string()),
  submitted_at: v.nullable(v.string()),
  resolved_at: v.nullable(v.string()),
  created_at: v.string(),
  updated_at: v.string(),
  version: v.number(),
})
export type Proposal = v.InferOutput<typeof Proposal>

/** What a proposal is called in a notice: the author's own words. */
export const titleOf = (content: ProposalContent): string =>
  content.sort === 'entity' ? content.canonical_label : content.predicate

type ListOf = { user?: string | undefined; status?: string | undefined }
/** Names the list of all proposals of a sort, or of those of one person or status. */
export const proposalList = (sort: ProposalSort, { user, status }: ListOf = {}) =>
  `PROPOSAL#${sort}${user ? `#OF#${user}` : ''}${status ? `#STATUS#${status}` : ''}`

export const proposal = defineItem({
  type: 'proposal',
  schema: Proposal,
  key: ({ id }: { id: string }) => key.proposal(id),
  indexes: ({ id, content: { sort }, author_id, status, created_at }) => {
    const sk = `${created_at}#${id}`
    return {
      gsi1: { pk: proposalList(sort, { status }), sk },
      gsi2: { pk: proposalList(sort), sk },
      gsi3: { pk: proposalList(sort, { user: author_id }), sk },
    }
  },
})

/** One step in the life of a proposal. */
const ProposalStep = v.object({
  id: v.string(),
  proposal_id: v.string(),
  number: v.number(),
  action: v.picklist(proposalActions),
  from_status: v.picklist(proposalStatuses),
  to_status: v.picklist(proposalStatuses),
  comment: v.string(),
  actor_id: v.string(),
  created_at: v.string(),
  version: v.literal(1),
})
export type ProposalStep = v.InferOutput<typeof ProposalStep>
export const proposalStep = defineItem({
  type: 'proposal_step',
  schema: ProposalStep,
  key: (it: { proposal_id: string; number: number }) => key.proposalStep(it.proposal_id, it.number),
})

/**
 * Reserves what a proposal says, for example that these records are one thing. While the proposal waits, nobody can propose the same.
 * Once it is refused, nobody ever can.
 */
export const proposalClaim = defineItem({
  type: 'proposal_claim',
  schema: v.object({ name: v.string(), proposal_id: v.string(), refused: v.boolean(), version: v.number() }),
  key: ({ name }: { name: string }) => key.proposalClaim(name),
})

/** A proposal as the subject of permissions. */
export type ProposalSubject = Subject & { about: Proposal; version: number }
export const asSubject = (about: Proposal): ProposalSubject => ({
  about,
  contributor_id: about.author_id,
  public: false,
  authors: [about.author_id],
  version: about.version,
})
