import * as v from 'valibot'
import { timeOf } from '../ids/address.ts'
import { kindKeys } from '../kinds/index.ts'
import { audienceOf, audiences, openTier, ranks } from '../permissions.ts'
import { defineItem } from '../table/item.ts'
import { type IndexName, key } from '../table/keys.ts'
import { blankOf, sparse } from '../table/sparse.ts'
import { packOutcomes, unpackOutcomes } from './outcomes.ts'
import { rules } from './rules/canonical.ts'
import { statuses, withheld } from './rules/status.ts'
import { ages } from './rules/triage.ts'
import { handlings, verdicts } from './rules/verdicts.ts'

/** The item types in a record's partition: what it is, who claims what about it, and what happened to it. */

const text = v.optional(v.string(), '')
const nullableText = v.optional(v.nullable(v.string()), null)
const Values = v.record(v.string(), v.any())

const Brief = v.object({
  activity_id: v.string(),
  activity_type: v.string(),
  comment: v.string(),
  created_at: v.string(),
  user_id: nullableText,
  username: text,
})

export const RecordItem = v.object({
  entity_id: v.string(),
  kind: v.picklist(kindKeys),
  /** The small integer id of a kind; cultural entities have one too and do not show it. */
  id: v.number(),
  name: v.string(),
  category: v.string(),
  /** The canonical values: the accepted ones once published, else the contributor's latest. */
  data: Values,
  /** Values of an edit of a published record that waits for review. */
  proposed: v.optional(v.nullable(Values), null),
  /** The status of its review. What the public sees depends on `public` instead. */
  status: v.picklist(statuses),
  /** It has an accepted revision, whatever waits behind that. */
  public: v.boolean(),
  contributor_id: v.string(),
  /** The contributor's username; the projector follows a change of it. */
  contributor: v.string(),
  access_tier: v.optional(v.string(), openTier),
  point: v.optional(v.nullable(v.object({ lat: v.number(), lng: v.number() })), null),
  current_revision: v.number(),
  current_revision_id: v.string(),
  accepted_revision: v.optional(v.nullable(v.number()), null),
  accepted_revision_id: nullableText,
  /** When what the public sees of it last changed. */
  accepted_at: nullableText,
  open_flags: v.optional(v.number(), 0),
  open_contradictions: v.optional(v.number(), 0),
  /** A contradiction was flagged at some time. */
  contradicted: v.optional(v.boolean(), false),
  /** There has been a verdict, whichever. */
  decided: v.optional(v.boolean(), false),
  activity_count: v.optional(v.number(), 0),
  /** So many claims about it are stored, by which a reader notices that some are not there yet. Absent of what was stored before they were counted. */
  claim_count: v.optional(v.number()),
  /** The source trusted least among those of the values under review. */
  worst_source_type: nullableText,
  worst_source_rank: v.optional(v.number(), 6),
  /** How old it was when the queue last looked; only the sweeper and a return to the queue move it on. */
  queue_age: v.optional(v.picklist(ages), 'fresh'),
  recent_activities: v.optional(v.array(Brief), []),
  latest_feedback: v.optional(v.nullable(Brief), null),
  /** The least rank that may decide on what waits; an escalation raises it. */
  required_persona: v.optional(v.picklist(ranks), 'community_reviewer'),
  stub: v.optional(v.boolean(), false),
  /** The import that has brought a revision of it, and by which row: while that waits, reviewers find it in its batch. */
  batch: v.optional(v.nullable(v.object({ id: v.string(), row: v.number(), revision: v.number() })), null),
  created_at: v.string(),
  updated_at: v.string(),
  deleted_at: nullableText,
  /** When it was deleted and restored: in between it was not public. Absent of what was never restored. */
  absences: v.optional(v.array(v.object({ from: v.string(), until: v.string() }))),
  version: v.number(),
})
export type RecordItem = v.InferOutput<typeof RecordItem>

/** What lists show of records: without what happened to them lately, and what waits. */
export const RecordRow = v.pick(RecordItem, [
  ...([
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
  ] as const),
  ...([
    'access_tier',
    'point',
    'current_revision',
    'accepted_revision',
    'accepted_revision_id',
    'accepted_at',
  ] as const),
  ...(['stub', 'created_at', 'updated_at', 'deleted_at', 'absences', 'version'] as const),
])
export type RecordRow = v.InferOutput<typeof RecordRow>
/** The members of a row, as reads ask for them. */
export const rowMembers: readonly string[] = Object.keys(RecordRow.entries)
export type Brief = v.InferOutput<typeof Brief>

/** The count of a record's claims once there are so many more, or fewer; nothing where they are not counted. */
export const countingClaims = ({ claim_count }: Pick<RecordItem, 'claim_count'>, more: number): Partial<RecordItem> =>
  claim_count === undefined ? {} : { claim_count: claim_count + more }

/** A record item without what was loaded beside it. Its members were checked when it was read. */
export function recordItemOf(it: RecordItem): RecordItem {
  const item = { ...it }
  for (const name of Object.keys(item)) if (!(name in RecordItem.entries)) Reflect.deleteProperty(item, name)
  return item
}

/** When the record last changed as far as the public may know: what waits behind a published one moves nothing. */
export function changedAt(
  it: Pick<RecordItem, 'public' | 'accepted_at' | 'accepted_revision_id' | 'updated_at'>,
): string {
  if (!it.public) return it.updated_at
  // What was accepted before that moment was kept is as old as its revision, whose id tells the time.
  return it.accepted_at ?? (it.accepted_revision_id && timeOf(it.accepted_revision_id)) ?? it.updated_at
}

/** Of a published record its audience, else the status that keeps it from the public. */
export const visibilityOf = (it: { status: string; public: boolean; access_tier: string }) =>
  it.public ? audienceOf(it.access_tier) : it.status
export const visibilities = [...audiences, ...withheld] as const

/** Names of the lists a record is in: one for each visibility, so that no page holds what its reader may not see. */
export const listsOf = {
  kind: (kind: string, visibility: string) => `KIND#${kind}#${visibility}`,
  every: (visibility: string) => `RECORD#${visibility}`,
  owner: (user: string, visibility: string) => `OWNER#${user}#${visibility}`,
  owner_kind: (user: string, kind: string, visibility: string) => `OWNER#${user}#${kind}#${visibility}`,
}

/** What lists by kind go by: cultural entities, which are of every sort, are told apart by their category. */
export const sortOf = (kind: string, category: string) => (kind === 'entity' ? `entity:${category}` : kind)

const partitionsOf = (it: RecordItem) => {
  const visibility = visibilityOf(it)
  return {
    gsi1: listsOf.kind(sortOf(it.kind, it.category), visibility),
    gsi2: listsOf.every(visibility),
    gsi3: listsOf.owner(it.contributor_id, visibility),
    gsi4: listsOf.owner_kind(it.contributor_id, sortOf(it.kind, it.category), visibility),
  }
}

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

/** Who is told of what happened to a record: the readers of what is published, those who work on it, and staff alone. */
export const historyAudiences = [...audiences, 'withheld', 'deleted'] as const
export type HistoryAudience = (typeof historyAudiences)[number]

export type AudienceSubject = Pick<RecordItem, 'deleted_at' | 'public' | 'access_tier'>

/** Who is told of something about a record. `isPublic`: nothing follows from it but what its readers see. */
export function historyAudienceOf(about: AudienceSubject, isPublic: boolean): HistoryAudience {
  if (about.deleted_at) return 'deleted'
  return about.public && isPublic ? audienceOf(about.access_tier) : 'withheld'
}

export const claimStatuses = ['pending', 'accepted', 'disputed', 'superseded'] as const

/** A claim as the rules know it; see claim-packs.ts for how it is stored. */
export const Assertion = v.object({
  id: v.string(),
  entity_id: v.string(),
  kind: v.picklist(kindKeys),
  object_id: v.number(),
  asserted_property: v.string(),
  asserted_value: v.string(),
  /** The value as the record's data holds it; what comparators compare. */
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
  /** The name of the key with which a machine sent it; null where a person did. */
  software: nullableText,
  object_entity_type: nullableText,
  object_entity_id: v.optional(v.nullable(v.union([v.number(), v.string()])), null),
  contributor_id: v.string(),
  contributed_by: v.string(),
  reconciliation_status: v.picklist(claimStatuses),
  supersedes: nullableText,
  refines: nullableText,
  /** The revision that carries this value; null for a claim that someone made apart. */
  revision_number: v.optional(v.nullable(v.number()), null),
  /** Who is told of it; the projector follows what becomes of the record. */
  audience: v.optional(v.picklist(historyAudiences), 'withheld'),
  /** What reviewers said of it apart from a decision on its record, oldest first; what decisions said stands in them. */
  settlings: v.optional(v.array(v.object({ status: v.picklist(claimStatuses), at: v.string() }))),
  created_at: v.string(),
  updated_at: v.string(),
  version: v.number(),
})
export type Assertion = v.InferOutput<typeof Assertion>
/** Part of the values under review; a claim made apart is decided on apart. */
export const isCarried = (it: Assertion) => it.reconciliation_status === 'pending' && it.revision_number !== null
/** The claims that everyone may see where they may see the record. A superseded one may never have been public. */
const settledClaims = ['accepted', 'disputed'] as const
/** Whether a claim stands, or is disputed: readers of its record may know of it. */
export const isSettled = ({ reconciliation_status: status }: Pick<Assertion, 'reconciliation_status'>): boolean =>
  settledClaims.some((it) => it === status)

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
/** The size alone is kept: nobody lists a person's revisions. */
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
  /** It hands in an edit of what is published. */
  of_edit: v.optional(v.boolean(), false),
  /** Who is told of it; the projector follows what becomes of the record. */
  audience: v.optional(v.picklist(historyAudiences), 'withheld'),
  created_at: v.string(),
  version: v.number(),
})
export type Activity = v.InferOutput<typeof Activity>
/** The part of the feed for one audience, by one person, of one type, or both. */
export const activityList = (audience: HistoryAudience, user?: string, type?: string) =>
  `ACTIVITY#${audience}${user ? `#USER#${user}` : ''}${type ? `#TYPE#${type}` : ''}`

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

/** An activity for whoever may know of it: that a record came, was accepted and commented on. Edits that wait are for insiders. */
export const toldOf = (done: Activity, about: RecordItem): Activity => ({
  ...done,
  audience: historyAudienceOf(
    about,
    done.activity_type === 'accepted' ||
      done.activity_type === 'commented' ||
      (done.activity_type === 'submitted' && !done.of_edit),
  ),
})

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
  /** Null: the conflict check raised it. */
  flagged_by: nullableText,
  /** The other side: a record that looks alike, or the assertions that contradict each other. */
  other_entity_id: nullableText,
  assertion_ids: v.optional(v.array(v.string()), []),
  property: nullableText,
  is_resolved: v.boolean(),
  resolved_by: nullableText,
  resolved_at: nullableText,
  /** It may tell of what waits: the service raised it, or someone who works on the record while an edit waited. */
  of_edit: v.optional(v.boolean(), true),
  /** Whose record it is on. */
  contributor_id: v.optional(v.string(), ''),
  /** Who is told of it; the projector follows what becomes of the record. */
  audience: v.optional(v.picklist(historyAudiences), 'withheld'),
  created_at: v.string(),
  version: v.number(),
})
export type Flag = v.InferOutput<typeof Flag>
/** Which flags are meant: those of one type, those that are open or resolved, or both. */
export type FlagFilter = { flag_type?: string | undefined; is_resolved?: boolean | undefined }
const filterText = ({ flag_type: type, is_resolved }: FlagFilter) =>
  `${type === undefined ? '' : `#TYPE#${type}`}${is_resolved === undefined ? '' : `#RESOLVED#${is_resolved}`}`
/** The flags of which an audience is told. */
export const flagList = (audience: HistoryAudience, filter: FlagFilter = {}) => `FLAG#${audience}${filterText(filter)}`
/** Those on the records of one person that are withheld: others than reviewers see only these. */
export const ownFlagList = (user: string, filter: FlagFilter = {}) => `FLAGGED#${user}${filterText(filter)}`

type IndexPartition = { index: IndexName; pk: string }

/** Where the flags of an audience are that fit: an index for each way to filter, but that a type is in two halves. */
export function flagPartitions(audience: HistoryAudience, { flag_type, is_resolved }: FlagFilter): IndexPartition[] {
  if (flag_type === undefined)
    return [{ index: is_resolved === undefined ? 'gsi2' : 'gsi3', pk: flagList(audience, { is_resolved }) }]
  const halves = is_resolved === undefined ? [true, false] : [is_resolved]
  return halves.map((half) => ({ index: 'gsi1', pk: flagList(audience, { flag_type, is_resolved: half }) }))
}

/** The four ways to ask for a flag. */
const flagWays = ({ flag_type, is_resolved }: Flag): FlagFilter[] => [
  {},
  { flag_type },
  { is_resolved },
  { flag_type, is_resolved },
]
const isOwners = (it: Flag) => it.audience === 'withheld' && it.contributor_id !== ''

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
      ...(isOwners(it) && { gsi4: { pk: ownFlagList(it.contributor_id), sk } }),
    }
  },
  counted: (it) => [
    ...flagWays(it).map((way) => flagList(it.audience, way)),
    ...(isOwners(it) ? flagWays(it).map((way) => ownFlagList(it.contributor_id, way)) : []),
  ],
})

/** A flag for whoever may know of it: that people find fault with what is public. What edits give rise to is for insiders. */
export const toldOfFlag = (it: Flag, about: AudienceSubject): Flag => ({
  ...it,
  audience: historyAudienceOf(about, !it.of_edit),
})

/** What the decision made of one property; see lib/records/rules/canonical.ts. */
const Outcome = v.object({
  property: v.string(),
  stands: v.nullable(v.string()),
  rule: v.picklist(rules),
  rivals: v.array(v.string()),
})
export const Decision = v.object({
  id: v.string(),
  entity_id: v.string(),
  reviewer_id: v.string(),
  revision_reviewed: v.number(),
  /** The revision that is accepted since: the one reviewed, or a further one by the reviewer; null when none is. */
  accepted_revision: v.optional(v.nullable(v.number()), null),
  /** The version of the record that the decision made, so that decisions have an order whatever clocks say. */
  sequence: v.optional(v.number(), 0),
  outcomes: v.optional(v.array(Outcome), []),
  verdict: v.picklist(verdicts),
  conflict_handling: v.picklist(handlings),
  confidence_override: nullableText,
  verification_method: nullableText,
  feedback: text,
  reconciliation_note: text,
  internal_note: text,
  escalated_to: nullableText,
  /** Who is told of it; the projector follows what becomes of the record. */
  audience: v.optional(v.picklist(historyAudiences), 'withheld'),
  created_at: v.string(),
  version: v.number(),
})
export type Decision = v.InferOutput<typeof Decision>
/** The decisions of one person of which an audience is told. */
export const toldDecisionList = (user: string, audience: HistoryAudience) => `DECISION#${user}#TOLD#${audience}`
/** A decision for whoever may know of it: what was refused or sent back is for insiders. */
export const toldOfDecision = (made: Decision, about: RecordItem): Decision => ({
  ...made,
  audience: historyAudienceOf(about, made.accepted_revision !== null),
})
/** The decisions of one person, or those of them with one verdict. */
export const decisionList = (user: string, verdict?: string) => `DECISION#${user}${verdict ? `#${verdict}` : ''}`

const blankDecision = blankOf(Decision)

export const decision = defineItem({
  type: 'decision',
  schema: Decision,
  packing: {
    pack: ({ outcomes, audience, ...it }) => ({
      ...sparse(blankDecision, { ...it, ...packOutcomes(outcomes) }),
      audience,
    }),
    unpack: (stored) => ({ ...blankDecision, ...stored, outcomes: unpackOutcomes(stored) }),
  },
  key: (it: { entity_id: string; id: string }) => key.decision(it.entity_id, it.id),
  indexes: (it) => {
    const sk = `${it.created_at}#${it.id}`
    return {
      gsi3: { pk: decisionList(it.reviewer_id), sk },
      gsi4: { pk: toldDecisionList(it.reviewer_id, it.audience), sk },
    }
  },
  counted: (it) => [
    decisionList(it.reviewer_id),
    decisionList(it.reviewer_id, it.verdict),
    toldDecisionList(it.reviewer_id, it.audience),
  ],
})

/** A published event, deity or guthi that names the record; kept by the projector beside it, so that one query shows them. */
export const LinkItem = v.object({
  to: v.string(),
  from: v.string(),
  kind: v.picklist(kindKeys),
  id: v.number(),
  name: v.string(),
  relation: v.string(),
  access_tier: v.string(),
  /** What else an event names, which it ties to the record: the deity that was enshrined in it. */
  ends: v.optional(v.array(v.object({ kind: v.picklist(kindKeys), id: v.number(), relation: v.string() })), []),
  version: v.number(),
})
export type LinkItem = v.InferOutput<typeof LinkItem>
export const link = defineItem({
  type: 'link',
  schema: LinkItem,
  key: (it: { to: string; from: string; relation: string }) => key.link(it.to, it.from, it.relation),
})

/** A record with its assertions, as one query gives them. It is the subject of rules. */
export type Loaded = RecordItem & { assertions: Assertion[]; links: LinkItem[] }
