import * as v from 'valibot'
import { timeOf } from '../../base/ids/address.ts'
import {
  type AudienceSubject,
  audienceOf,
  audiences,
  type HistoryAudience,
  historyAudienceOf,
  historyAudiences,
  openTier,
} from '../../base/visibility.ts'
import { blankOf, defineItem, type IndexName, sparse } from '../../engines/table/index.ts'
import { ranks } from '../../platform/permissions.ts'
import { key } from '../../platform/table/keys.ts'
import { kindKeys } from '../kinds/index.ts'
import { Label } from '../labels/labels.ts'
import { packOutcomes, unpackOutcomes } from './outcomes.ts'
import { outcomeRules } from './rules/canonical.ts'
import { recordStatuses, withheldStatuses } from './rules/status.ts'
import { ages } from './rules/triage.ts'
import { handlings, verdicts } from './rules/verdicts.ts'

/** The item types in a record's partition: the record itself (the head), its revisions, activities, flags, decisions and links. */

const text = v.optional(v.string(), '')
const nullableText = v.optional(v.nullable(v.string()), null)
const Values = v.record(v.string(), v.any())

/** The most activities that a record holds itself, in `recent_activities`. */
export const MOST_RECENT = 5
const ActivityBrief = v.object({
  activity_id: v.string(),
  activity_type: v.string(),
  comment: v.string(),
  created_at: v.string(),
  user_id: nullableText,
  username: text,
})

/** The record of which a fork was made (`parent`), and the first original (`root`). `depth` is 1 for a fork of the root, 2 for a fork of that. */
const ForkOrigin = v.object({ parent: v.string(), root: v.string(), depth: v.number() })
export type ForkOrigin = v.InferOutput<typeof ForkOrigin>

export const RecordItem = v.object({
  entity_id: v.string(),
  kind: v.picklist(kindKeys),
  /** The number of the record within its kind. Example: structure 7. Records of the kind `entity` have one too, but answers do not show it. */
  id: v.number(),
  name: v.string(),
  category: v.string(),
  /** The canonical values: the accepted ones once published, else the contributor's latest. */
  data: Values,
  /** All values as the waiting edit of a published record would make them. Null if no edit waits. */
  proposed: v.optional(v.nullable(Values), null),
  /** The state of the review. `public` decides whether readers see the record. */
  status: v.picklist(recordStatuses),
  /** True while an accepted revision stands, even if an edit waits behind it. */
  public: v.boolean(),
  contributor_id: v.string(),
  /** The contributor's username when the item was written. Answers look the name up, so it may be an earlier one. */
  contributor: v.string(),
  access_tier: v.optional(v.string(), openTier),
  point: v.optional(v.nullable(v.object({ lat: v.number(), lng: v.number() })), null),
  current_revision: v.number(),
  current_revision_id: v.string(),
  accepted_revision: v.optional(v.nullable(v.number()), null),
  accepted_revision_id: nullableText,
  /** When the values that the public sees last changed. */
  accepted_at: nullableText,
  open_flags: v.optional(v.number(), 0),
  /** The number of open flags that are for reviewers alone: see `concealed` of a flag. */
  concealed_flags: v.optional(v.number(), 0),
  open_contradictions: v.optional(v.number(), 0),
  /** True once a contradiction was ever flagged, even if it is resolved by now. */
  contradicted: v.optional(v.boolean(), false),
  /** What communities say of the use of the thing. Labels apply at once, without a review. */
  labels: v.optional(v.array(Label), []),
  /** The name of the API key with which a machine sent the waiting change. Null if a person sent it. */
  machine: nullableText,
  /** The id of the person who owns that key. */
  machine_of: nullableText,
  /** True once a reviewer has given any verdict. */
  decided: v.optional(v.boolean(), false),
  activity_count: v.optional(v.number(), 0),
  /** The number of claims, without those of identity. A read that finds another number has seen half of a transaction. Absent in old items. */
  claim_count: v.optional(v.number()),
  /** The least trusted source type among the claims under review. Example: `web`. */
  worst_source_type: nullableText,
  worst_source_rank: v.optional(v.number(), 6),
  /** The age class in the queue. The sweeper raises it. An edit or a return to the queue computes it again. */
  queue_age: v.optional(v.picklist(ages), 'fresh'),
  recent_activities: v.optional(v.array(ActivityBrief), []),
  latest_feedback: v.optional(v.nullable(ActivityBrief), null),
  /** The lowest rank that may decide on the record. An escalation raises it. */
  required_persona: v.optional(v.picklist(ranks), 'community_reviewer'),
  stub: v.optional(v.boolean(), false),
  /** The import and row that made a revision of the record. While that revision waits, reviewers find the record in the batch. */
  batch: v.optional(v.nullable(v.object({ id: v.string(), row: v.number(), revision: v.number() })), null),
  /** Set if the record is a fork: an alternative version of another record, which is judged on its own. */
  fork: v.optional(v.nullable(ForkOrigin), null),
  /** The record that took its place: a fork that was promoted, or the record into which a fork was merged. */
  superseded_by: nullableText,
  created_at: v.string(),
  updated_at: v.string(),
  deleted_at: nullableText,
  /** The times between a deletion and a restoration. The record was not public in them. Absent if it was never restored. */
  absences: v.optional(v.array(v.object({ from: v.string(), until: v.string() }))),
  version: v.number(),
})
export type RecordItem = v.InferOutput<typeof RecordItem>

/** The members of a record that lists show. It has no activities and no proposed values. */
export const RecordRow = v.pick(RecordItem, [
  'entity_id',
  'kind',
  'id',
  'name',
  'category',
  'data',
  'status',
  'public',
  'contributor_id',
  'contributor',
  'access_tier',
  'point',
  'labels',
  'fork',
  'superseded_by',
  'current_revision',
  'accepted_revision',
  'accepted_revision_id',
  'accepted_at',
  'stub',
  'created_at',
  'updated_at',
  'deleted_at',
  'absences',
  'version',
])
export type RecordRow = v.InferOutput<typeof RecordRow>
/** The attributes that a read of rows loads from the table. */
export const rowMembers: readonly string[] = Object.keys(RecordRow.entries)
export type ActivityBrief = v.InferOutput<typeof ActivityBrief>

/** Returns the `claim_count` after new claims. Empty for old items, which have no count. */
export const addToClaimCount = (
  { claim_count }: Pick<RecordItem, 'claim_count'>,
  added: number,
): Partial<RecordItem> => (claim_count === undefined ? {} : { claim_count: claim_count + added })

/** Returns the record item alone, without what was loaded with it, such as claims. */
export function recordItemOf(loaded: RecordItem): RecordItem {
  const item = { ...loaded }
  for (const name of Object.keys(item)) if (!(name in RecordItem.entries)) Reflect.deleteProperty(item, name)
  return item
}

/** Returns the time of the last change that the public may know of. A waiting edit does not change it. */
export function changedAt(
  record: Pick<RecordItem, 'public' | 'accepted_at' | 'accepted_revision_id' | 'updated_at'>,
): string {
  if (!record.public) return record.updated_at
  // Old items have no `accepted_at`. The id of the revision holds its time.
  return record.accepted_at ?? (record.accepted_revision_id && timeOf(record.accepted_revision_id)) ?? record.updated_at
}

/**
 * Returns the audience of a published record, else its status. Example: `restricted`, `draft`. A record that another one has replaced
 * is in no list of readers, though its address still answers.
 */
export const visibilityOf = (record: {
  status: string
  public: boolean
  access_tier: string
  superseded_by: string | null
}) => (record.public && record.superseded_by === null ? audienceOf(record.access_tier) : record.status)
/** All visibilities that a record can have. Each has lists of its own. */
export const recordVisibilities = [...audiences, ...withheldStatuses] as const

/**
 * The names of the lists that a record is in. Each visibility has lists of its own, so no page holds what its reader
 * may not see.
 */
export const listsOf = {
  kind: (kind: string, visibility: string) => `KIND#${kind}#${visibility}`,
  every: (visibility: string) => `RECORD#${visibility}`,
  owner: (user: string, visibility: string) => `OWNER#${user}#${visibility}`,
  owner_kind: (user: string, kind: string, visibility: string) => `OWNER#${user}#${kind}#${visibility}`,
}

/** Returns the name of a kind in lists. Cultural entities are listed by category: `entity:festival`. */
export const listingKindOf = (kind: string, category: string) => (kind === 'entity' ? `entity:${category}` : kind)

const partitionsOf = (record: RecordItem) => {
  const visibility = visibilityOf(record)
  return {
    gsi1: listsOf.kind(listingKindOf(record.kind, record.category), visibility),
    gsi2: listsOf.every(visibility),
    gsi3: listsOf.owner(record.contributor_id, visibility),
    gsi4: listsOf.owner_kind(record.contributor_id, listingKindOf(record.kind, record.category), visibility),
  }
}

/** The record itself, first in its partition: the head. A deleted record is in no list. */
export const recordItem = defineItem({
  type: 'record',
  schema: RecordItem,
  key: (it: { entity_id: string }) => key.head(it.entity_id),
  indexes: (it) => {
    if (it.deleted_at) return {}
    const sk = `${it.created_at}#${it.entity_id}`
    return Object.fromEntries(Object.entries(partitionsOf(it)).map(([index, pk]) => [index, { pk, sk }]))
  },
  counted: (it) => {
    if (it.deleted_at) return []
    return Object.values(partitionsOf(it))
  },
})

export const claimStatuses = ['pending', 'accepted', 'disputed', 'superseded'] as const

/** A status that was set on one claim. For a claim of identity also who decided it (`by`), how (`way`), and why. */
const Settling = v.object({
  status: v.picklist(claimStatuses),
  at: v.string(),
  by: v.optional(v.string()),
  way: v.optional(v.string()),
  reason: v.optional(v.string()),
})

/** A claim. claim-packs.ts explains how it is stored. */
export const Assertion = v.object({
  id: v.string(),
  entity_id: v.string(),
  kind: v.picklist(kindKeys),
  object_id: v.number(),
  asserted_property: v.string(),
  asserted_value: v.string(),
  /** The value as the record's data holds it. Comparators compare it, not `asserted_value`. */
  value: v.optional(v.any()),
  assertion_content: text,
  source_type: text,
  source_citation: text,
  source_url: text,
  source: nullableText,
  confidence: v.optional(v.string(), 'likely'),
  confidence_score: v.optional(v.nullable(v.number()), null),
  data_quality_note: text,
  justification_note: text,
  crminf_conclusion: text,
  temporal_scope_edtf: text,
  generated_at_time: text,
  supporting_sources: v.optional(v.array(v.string()), []),
  attributed_to_agent: text,
  /** The id that the claim has in its source. */
  identifier: text,
  /** The name of the API key with which a machine sent the claim. Null if a person sent it. */
  software: nullableText,
  object_entity_type: nullableText,
  object_entity_id: v.optional(v.nullable(v.union([v.number(), v.string()])), null),
  contributor_id: v.string(),
  contributed_by: v.string(),
  reconciliation_status: v.picklist(claimStatuses),
  supersedes: nullableText,
  refines: nullableText,
  /** The revision that holds this value. Null if the claim was made apart from a contribution. */
  revision_number: v.optional(v.nullable(v.number()), null),
  /** The readers. The projector changes them when the record becomes public or hidden. */
  audience: v.optional(v.picklist(historyAudiences), 'withheld'),
  /** The statuses that reviewers set on this claim alone, oldest first. Other statuses come from decisions on the record. */
  settlings: v.optional(v.array(Settling)),
  created_at: v.string(),
  updated_at: v.string(),
  version: v.number(),
})
export type Assertion = v.InferOutput<typeof Assertion>

/**
 * The property of a claim of identity: the record is about the same thing as the other records of a cluster. Its value is the
 * cluster's id. Such claims come and go with memberships, so they are no part of `claim_count`.
 */
export const SAME_REFERENT = 'identity.same_referent'

/** Whether the claim waits as part of a revision. A verdict judges claims made apart from a contribution only if no revision waits. */
export const isUnderReview = ({ reconciliation_status, revision_number }: Assertion) =>
  reconciliation_status === 'pending' && revision_number !== null

/** `superseded` is missing here, because a superseded claim may never have been public. */
const settledStatuses = ['accepted', 'disputed'] as const
/** Whether every reader of the record may see the claim. */
export const isSettled = ({ reconciliation_status: status }: Pick<Assertion, 'reconciliation_status'>): boolean =>
  settledStatuses.some((settled) => settled === status)

export const Revision = v.object({
  revision_id: v.string(),
  entity_id: v.string(),
  revision_number: v.number(),
  data: Values,
  created_by: v.string(),
  created_at: v.string(),
  version: v.number(),
})
export type Revision = v.InferOutput<typeof Revision>
export const revision = defineItem({
  type: 'revision',
  schema: Revision,
  key: (it: { entity_id: string; revision_number: number }) => key.revision(it.entity_id, it.revision_number),
  counted: (it) => [revisionList(it.created_by)],
})
/** Only the size of this list is stored. No endpoint lists a person's revisions. */
export const revisionList = (user: string) => `REVISION#${user}`

export const activityTypes = [
  'submitted',
  'accepted',
  'rejected',
  'revised',
  'commented',
  'escalated',
  'changes_requested',
  'flagged',
  'conflict_resolved',
] as const
export const Activity = v.object({
  activity_id: v.string(),
  entity_id: v.string(),
  user_id: v.string(),
  activity_type: v.picklist(activityTypes),
  comment: text,
  /** True if this activity sent in an edit of a published record. */
  of_edit: v.optional(v.boolean(), false),
  /** The readers. The projector changes them when the record becomes public or hidden. */
  audience: v.optional(v.picklist(historyAudiences), 'withheld'),
  created_at: v.string(),
  version: v.number(),
})
export type Activity = v.InferOutput<typeof Activity>
/** Returns the name of the list of an audience's activities. `user` and `type` narrow it to one person and one type. */
export const activityList = (audience: HistoryAudience, user?: string, type?: string) =>
  `ACTIVITY#${audience}${user ? `#USER#${user}` : ''}${type ? `#TYPE#${type}` : ''}`
export const activityLists = historyAudiences.map((audience) => activityList(audience))

export const activity = defineItem({
  type: 'activity',
  schema: Activity,
  key: (it: { entity_id: string; activity_id: string }) => key.activity(it.entity_id, it.activity_id),
  indexes: (it) => {
    const sk = `${it.created_at}#${it.activity_id}`
    return {
      gsi2: { pk: activityList(it.audience), sk },
      gsi3: { pk: activityList(it.audience, it.user_id), sk },
      gsi1: { pk: activityList(it.audience, undefined, it.activity_type), sk },
      gsi4: { pk: activityList(it.audience, it.user_id, it.activity_type), sk },
    }
  },
  counted: (it) => [
    activityList(it.audience),
    activityList(it.audience, it.user_id),
    activityList(it.audience, undefined, it.activity_type),
    activityList(it.audience, it.user_id, it.activity_type),
  ],
})

/**
 * Sets the audience of an activity. Readers of the record see the first submission, acceptances and comments. They see
 * no edit that waits.
 */
export function withActivityAudience(listed: Activity, about: RecordItem): Activity {
  const { activity_type, of_edit } = listed
  const isPublic =
    activity_type === 'accepted' || activity_type === 'commented' || (activity_type === 'submitted' && !of_edit)
  return { ...listed, audience: historyAudienceOf(about, isPublic) }
}

export const flagTypes = [
  'questionable_source',
  'suspected_duplicate',
  'sensitive_content',
  'low_confidence',
  'stale_review',
  'contradiction',
  'other',
] as const
export const Flag = v.object({
  id: v.string(),
  entity_id: v.string(),
  flag_type: v.picklist(flagTypes),
  reason: text,
  /** The person who raised it. Null if the service did. */
  flagged_by: nullableText,
  /**
   * Set if the service suspects a duplicate. `assertion_ids`: the claims of a contradiction that the service found. `property`: the
   * property of that contradiction, or of an unlikely value.
   */
  other_entity_id: nullableText,
  assertion_ids: v.optional(v.array(v.string()), []),
  property: nullableText,
  is_resolved: v.boolean(),
  resolved_by: nullableText,
  resolved_at: nullableText,
  /**
   * True if the flag names another record that the contributor may not see. It is for reviewers alone: to everybody else it does
   * not exist.
   */
  concealed: v.optional(v.boolean(), false),
  /** True if the flag may reveal a waiting edit: the service raised it, or a person who knows of the edit. */
  of_edit: v.optional(v.boolean(), true),
  /** The contributor of the record, for `ownFlagList`. */
  contributor_id: v.optional(v.string(), ''),
  /** The readers. The projector changes them when the record becomes public or hidden. */
  audience: v.optional(v.picklist(historyAudiences), 'withheld'),
  created_at: v.string(),
  version: v.number(),
})
export type Flag = v.InferOutput<typeof Flag>
/** Which flags are listed. An undefined member does not narrow the list. */
export type FlagFilter = { flag_type?: string | undefined; is_resolved?: boolean | undefined }
const filterText = ({ flag_type: type, is_resolved }: FlagFilter) =>
  `${type === undefined ? '' : `#TYPE#${type}`}${is_resolved === undefined ? '' : `#RESOLVED#${is_resolved}`}`

/** Returns the name of the list of an audience's flags. */
export const flagList = (audience: HistoryAudience, filter: FlagFilter = {}) => `FLAG#${audience}${filterText(filter)}`
/** Returns the name of the list of withheld flags on one person's records. A contributor who does not review sees no other withheld flags. */
export const ownFlagList = (user: string, filter: FlagFilter = {}) => `FLAGGED#${user}${filterText(filter)}`

type IndexPartition = { index: IndexName; pk: string }

/** Returns the index partitions of an audience's flags. Flags of one type lie in two: open and resolved. */
export function flagPartitions(audience: HistoryAudience, { flag_type, is_resolved }: FlagFilter): IndexPartition[] {
  if (flag_type === undefined)
    return [{ index: is_resolved === undefined ? 'gsi2' : 'gsi3', pk: flagList(audience, { is_resolved }) }]
  const halves = is_resolved === undefined ? [true, false] : [is_resolved]
  return halves.map((half) => ({ index: 'gsi1', pk: flagList(audience, { flag_type, is_resolved: half }) }))
}

/** Returns the four filters that a flag passes. Each has a counter. */
const filtersPassedBy = ({ flag_type, is_resolved }: Flag): FlagFilter[] => [
  {},
  { flag_type },
  { is_resolved },
  { flag_type, is_resolved },
]
/** Whether the flag is in the list of the record's contributor. */
const isListedForOwner = ({ audience, contributor_id, concealed }: Flag) =>
  audience === 'withheld' && contributor_id !== '' && !concealed

/** Whether a flag is a contradiction that nobody has settled yet. */
export const isOpenContradiction = ({ flag_type, is_resolved }: Flag): boolean =>
  flag_type === 'contradiction' && !is_resolved

export const flag = defineItem({
  type: 'flag',
  schema: Flag,
  key: (it: { entity_id: string; id: string }) => key.flag(it.entity_id, it.id),
  indexes: (it) => {
    const { audience, flag_type, is_resolved } = it
    const sk = `${it.created_at}#${it.id}`
    return {
      gsi2: { pk: flagList(audience), sk },
      gsi3: { pk: flagList(audience, { is_resolved }), sk },
      gsi1: { pk: flagList(audience, { flag_type, is_resolved }), sk },
      ...(isListedForOwner(it) && { gsi4: { pk: ownFlagList(it.contributor_id), sk } }),
    }
  },
  counted: (it) => [
    ...filtersPassedBy(it).map((filter) => flagList(it.audience, filter)),
    ...(isListedForOwner(it) ? filtersPassedBy(it).map((filter) => ownFlagList(it.contributor_id, filter)) : []),
  ],
})

/** Sets the audience of a flag. Readers of the record see a flag, unless it may reveal an edit that waits. */
export const withFlagAudience = (listed: Flag, about: AudienceSubject): Flag => ({
  ...listed,
  audience: historyAudienceOf(about, !listed.of_edit),
})

/**
 * The outcome for one property. `stands`: the id of the claim that stands since then, or null. `rivals`: the other claims that were decided
 * on. `rules/canonical.ts` explains each `rule`.
 */
const StoredOutcome = v.object({
  property: v.string(),
  stands: v.nullable(v.string()),
  rule: v.picklist(outcomeRules),
  rivals: v.array(v.string()),
})
export const Decision = v.object({
  id: v.string(),
  entity_id: v.string(),
  reviewer_id: v.string(),
  revision_reviewed: v.number(),
  /**
   * The accepted revision: the reviewed or standing revision, or a new one if the verdict changed its values. Null if the verdict accepted
   * nothing.
   */
  accepted_revision: v.optional(v.nullable(v.number()), null),
  /** The version of the record after the decision. It orders decisions even where clocks differ. */
  sequence: v.optional(v.number(), 0),
  outcomes: v.optional(v.array(StoredOutcome), []),
  verdict: v.picklist(verdicts),
  conflict_handling: v.picklist(handlings),
  confidence_override: nullableText,
  verification_method: nullableText,
  feedback: text,
  reconciliation_note: text,
  internal_note: text,
  escalated_to: nullableText,
  /** True if the verdict was on a whole batch. The contributor then gets one notice for all decisions of the batch. */
  of_batch: v.optional(v.boolean(), false),
  /** The list that counts the decisions of one verdict on a batch. Null in other decisions, and in old ones. */
  batch_list: nullableText,
  /** The fork from which the decision took values over. */
  fork: nullableText,
  /** The readers. The projector changes them when the record becomes public or hidden. */
  audience: v.optional(v.picklist(historyAudiences), 'withheld'),
  created_at: v.string(),
  version: v.number(),
})
export type Decision = v.InferOutput<typeof Decision>

/** Sets the audience of a decision. Readers of the record see acceptances, but no refusals or requests for changes. */
export const withDecisionAudience = (listed: Decision, about: RecordItem): Decision => ({
  ...listed,
  audience: historyAudienceOf(about, listed.accepted_revision !== null),
})

/** Returns the name of the list of a reviewer's decisions that an audience may read. */
export const decisionAudienceList = (user: string, audience: HistoryAudience) => `DECISION#${user}#TOLD#${audience}`
/** Returns the name of the list of all decisions of a reviewer, or of those with one verdict. */
export const decisionList = (user: string, verdict?: string) => `DECISION#${user}${verdict ? `#${verdict}` : ''}`

/** Returns the name of the list of the decisions of one verdict on a batch. Only its size is stored. */
export const batchDecisionList = (import_id: string, ordered_at: string) => `BATCH#${import_id}#DECIDED#${ordered_at}`

const blankDecision = blankOf(Decision)

export const decision = defineItem({
  type: 'decision',
  schema: Decision,
  packing: {
    pack: ({ outcomes, audience, ...rest }) => ({
      ...sparse(blankDecision, { ...rest, ...packOutcomes(outcomes) }),
      audience,
    }),
    unpack: (stored) => ({ ...blankDecision, ...stored, outcomes: unpackOutcomes(stored) }),
  },
  key: (it: { entity_id: string; id: string }) => key.decision(it.entity_id, it.id),
  indexes: (it) => {
    const sk = `${it.created_at}#${it.id}`
    return {
      gsi3: { pk: decisionList(it.reviewer_id), sk },
      gsi4: { pk: decisionAudienceList(it.reviewer_id, it.audience), sk },
    }
  },
  counted: (it) => [
    decisionList(it.reviewer_id),
    decisionList(it.reviewer_id, it.verdict),
    decisionAudienceList(it.reviewer_id, it.audience),
    ...(it.batch_list === null ? [] : [it.batch_list]),
  ],
})

/**
 * A card: a published event, deity or guthi that names the record. The projector stores the card in the record's
 * partition, so one query reads both.
 */
export const LinkItem = v.object({
  to: v.string(),
  from: v.string(),
  kind: v.picklist(kindKeys),
  id: v.number(),
  name: v.string(),
  relation: v.string(),
  access_tier: v.string(),
  /** The deities and guthis that the event also names. Example: the deity for whom this temple was consecrated. */
  ends: v.optional(v.array(v.object({ kind: v.picklist(kindKeys), id: v.number(), relation: v.string() })), []),
  version: v.number(),
})
export type LinkItem = v.InferOutput<typeof LinkItem>

export const link = defineItem({
  type: 'link',
  schema: LinkItem,
  key: (it: { to: string; from: string; relation: string }) => key.link(it.to, it.from, it.relation),
})

/** A record with its claims and cards, as one query reads them. Permissions look at this. */
export type LoadedRecord = RecordItem & { assertions: Assertion[]; links: LinkItem[] }
