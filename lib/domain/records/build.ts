import '../search-words/name-words.ts'
import { newChildId, newPackIds, now } from '../../base/clock.ts'
import { recordId } from '../../base/ids/address.ts'
import { omit } from '../../base/omit.ts'
import { isCoarse, openTier } from '../../base/visibility.ts'
import { nextNumber } from '../../engines/table/immediate.ts'
import { put, type Write } from '../../engines/table/index.ts'
import { type Indexed, indexWrites } from '../../platform/name-index/entries.ts'
import type { Actor } from '../../platform/permissions.ts'
import { type AssertionInput, type Evidence, type Kind, kinds, pointOf } from '../kinds/index.ts'
import { identitiesOf } from '../names/identities.ts'
import { namesOf, textOf } from '../names/text.ts'
import type { Values } from '../names/values.ts'
import { claimWrites } from './claim-packs.ts'
import {
  type Activity,
  type Assertion,
  activity,
  type Flag,
  type ForkOrigin,
  flag,
  MOST_RECENT,
  type RecordItem,
  type Revision,
  recordItem,
  revision,
} from './items.ts'
import { queueWrites } from './queue-entry.ts'
import { worstSource } from './rules/triage.ts'

/** All items of one change of a record, and the writes that store them. The caller commits. */
export type PlannedRecord = {
  record: RecordItem
  assertions: Assertion[]
  revision: Revision
  activity: Activity
  writes: Write[]
}

/** Takes the next id of a kind. If the create fails afterwards, the numbers of the kind have a gap, which does no harm. */
export const nextRecordId = (kind: Kind): Promise<number> => nextNumber(kind.key)

export type NewRecordInput = {
  data: Values
  /** Pass the header if it is computed already. */
  header?: Header
  source: AssertionInput
  /** The evidence of single properties, instead of `source`. */
  evidence?: Evidences | undefined
  actor: Actor
  flags?: readonly NewFlag[]
  /** True if the record is made only because another contribution names it. */
  stub?: boolean
  batch?: BatchRow | undefined
  /**
   * Set if the record is a fork. `names`: the members whose values come from the original. `evidence`: the evidence of these values.
   * `labels`: the labels of the original.
   */
  fork?: { origin: ForkOrigin; names: readonly string[]; evidence: AssertionInput; labels: RecordItem['labels'] }
}

/** Evidence by property. */
type Evidences = Readonly<Record<string, Evidence>>

/** The import with this `id`, and the row from which the record came. */
export type BatchRow = { id: string; row: number }

/** Builds a new record, which waits for review at once. README.md lists the items. */
export function newRecord(
  kind: Kind,
  id: number,
  {
    data,
    header = headerOf(kind, data),
    source,
    evidence,
    actor,
    flags = [],
    stub = false,
    batch,
    fork,
  }: NewRecordInput,
): PlannedRecord {
  const at = now()
  const entity_id = recordId(kind.code, id)
  const submitted = newActivity(entity_id, actor, 'submitted', stub ? 'Named by another contribution.' : '', at)
  const unlogged: RecordItem = {
    entity_id,
    kind: kind.key,
    id,
    ...withoutNames(header),
    data,
    proposed: null,
    status: 'pending_review',
    public: false,
    contributor_id: actor.id,
    contributor: actor.username,
    current_revision: 1,
    current_revision_id: newChildId(entity_id),
    accepted_revision: null,
    accepted_revision_id: null,
    accepted_at: null,
    open_flags: flags.length,
    concealed_flags: countConcealed(flags),
    open_contradictions: 0,
    contradicted: false,
    labels: fork?.labels ?? [],
    machine: actor.key?.name ?? null,
    machine_of: actor.key ? actor.id : null,
    decided: false,
    activity_count: 0,
    claim_count: Object.keys(data).length,
    ...worstSource(Object.keys(data).map((name) => (evidence?.[name] ?? source).source_type)),
    queue_age: 'fresh',
    recent_activities: [],
    latest_feedback: null,
    required_persona: 'community_reviewer',
    stub,
    batch: batch ? { ...batch, revision: 1 } : null,
    fork: fork?.origin ?? null,
    superseded_by: null,
    created_at: at,
    updated_at: at,
    deleted_at: null,
    version: 1,
  }
  const record = withActivity(unlogged, submitted, actor)
  const assertions = newClaims(
    { about: record, source, evidence, actor, revision_number: 1, at },
    Object.entries(data),
  ).map((claim) => (fork?.names.includes(claim.asserted_property) ? { ...claim, ...fork.evidence } : claim))
  const firstRevision = newRevision(record, data, actor, at)
  const writes = [
    put(recordItem, record, undefined),
    put(revision, firstRevision, undefined),
    put(activity, submitted, undefined),
    ...claimWrites([], assertions, record),
    ...flags.map((raised) => put(flag, newFlag(record, raised, at), undefined)),
    ...indexWrites(undefined, nameEntryOf(record, header)),
    ...queueWrites(undefined, record),
  ]
  return { record, assertions, revision: firstRevision, activity: submitted, writes }
}

/** The members that are computed from a record's values: for rows, rules, the name index and the search for duplicates. */
export type Header = Pick<RecordItem, 'name' | 'category' | 'access_tier' | 'point'> & {
  /** All names, the main name first. */
  names: string[]
  /** The id of the record in its data source. Example: the number in an inventory. */
  identifier: string | undefined
  /** Ids in other collections. Example: `wd:q37`. */
  identities: string[]
}

/** Computes the header of a record. It reads all values and names, so compute it once for each write. */
export function headerOf(kind: Kind, data: Values): Header {
  const name = textOf(data[kind.nameField])
  return {
    name,
    names: namesOf(name, data),
    identifier: textOf(data.identifier) || undefined,
    identities: identitiesOf(kind, data),
    category: kind.key === 'entity' ? textOf(data.category) : kind.queueCategory,
    access_tier: textOf(data.access_tier) || openTier,
    point: pointOf(data) ?? null,
  }
}

/** Returns the part of a header that the record item stores. */
export const withoutNames = (header: Header) => omit(header, 'names', 'identifier', 'identities')

/** Returns the entry of a record in the name index. */
export const nameEntryOf = ({ entity_id, kind, id }: RecordItem, header: Header): Indexed => ({
  entity_id,
  kind,
  id,
  names: header.names,
  identifier: header.identifier,
  identities: header.identities,
  point: searchablePoint(header),
})

/**
 * Returns the point for the name index. Null for a record with a coarse place: a caller who guesses often enough would
 * find the exact place.
 */
const searchablePoint = ({ point, access_tier }: Pick<RecordItem, 'point' | 'access_tier'>) =>
  isCoarse(access_tier) ? null : point

/** Returns the entry that a stored record has in the name index. A deleted or replaced record has none, so nobody finds it by name. */
export function storedNameEntryOf(record: RecordItem): Indexed | undefined {
  if (record.deleted_at || record.superseded_by !== null) return undefined
  return {
    ...record,
    names: namesOf(record.name, record.data),
    identifier: textOf(record.data.identifier) || undefined,
    identities: identitiesOf(kinds[record.kind], record.data),
    point: searchablePoint(record),
  }
}

/** The facts that all claims of one contribution share. */
export type ClaimOrigin = {
  about: Pick<RecordItem, 'entity_id' | 'kind' | 'id'>
  source: AssertionInput
  /** The evidence of single properties, instead of `source`. */
  evidence?: Evidences | undefined
  actor: Actor
  /** The revision that holds the values. Null if the claim is made apart from a contribution. */
  revision_number: number | null
  at: string
}

/** Builds the claims of a contribution. They get ids of one pack, so they are stored as one item. */
export function newClaims(
  origin: ClaimOrigin,
  values: Iterable<readonly [property: string, value: unknown]>,
): Assertion[] {
  const nextId = newPackIds(origin.about.entity_id)
  return Array.from(values, ([property, value]) => ({
    ...newClaim(origin, property, value, nextId()),
    ...origin.evidence?.[property],
  }))
}

/** Builds one claim. Without `id` it gets a pack of its own. */
export function newClaim(
  { about, source, actor, revision_number, at }: ClaimOrigin,
  property: string,
  value: unknown,
  id = newPackIds(about.entity_id)(),
): Assertion {
  return {
    ...source,
    id,
    entity_id: about.entity_id,
    kind: about.kind,
    object_id: about.id,
    asserted_property: property,
    asserted_value: textOf(value),
    value,
    assertion_content: '',
    source: null,
    confidence_score: null,
    justification_note: '',
    crminf_conclusion: '',
    temporal_scope_edtf: '',
    generated_at_time: '',
    supporting_sources: [],
    attributed_to_agent: '',
    identifier: '',
    software: actor.key?.name ?? null,
    object_entity_type: null,
    object_entity_id: null,
    contributor_id: actor.id,
    contributed_by: actor.username,
    reconciliation_status: 'pending',
    supersedes: null,
    refines: null,
    revision_number,
    audience: 'withheld',
    created_at: at,
    updated_at: at,
    version: 1,
  }
}

/** Builds the current revision of a record. */
export const newRevision = (record: RecordItem, data: Values, actor: Actor, at: string): Revision => ({
  revision_id: record.current_revision_id,
  entity_id: record.entity_id,
  revision_number: record.current_revision,
  data,
  created_by: actor.id,
  created_at: at,
  version: 1,
})

/** Builds an activity that is withheld until the projector moves it to its audience. */
export const newActivity = (
  entity_id: string,
  actor: Actor,
  activity_type: Activity['activity_type'],
  comment: string,
  at: string,
): Activity => ({
  activity_id: newChildId(entity_id),
  entity_id,
  user_id: actor.id,
  activity_type,
  comment,
  of_edit: false,
  audience: 'withheld',
  created_at: at,
  version: 1,
})

/** A flag that the service is going to raise. */
export type NewFlag = Pick<Flag, 'flag_type' | 'reason'> &
  Partial<Pick<Flag, 'other_entity_id' | 'assertion_ids' | 'property' | 'concealed'>>

/** Counts the flags that are for reviewers alone. */
export const countConcealed = (flags: readonly NewFlag[]): number => flags.filter((it) => it.concealed).length

/** Builds a flag that the service raises: `flagged_by` is null. */
export const newFlag = (
  record: Pick<RecordItem, 'entity_id' | 'contributor_id'>,
  raised: NewFlag,
  at: string,
): Flag => ({
  other_entity_id: null,
  assertion_ids: [],
  property: null,
  concealed: false,
  ...raised,
  id: newChildId(record.entity_id),
  entity_id: record.entity_id,
  contributor_id: record.contributor_id,
  of_edit: true,
  audience: 'withheld',
  flagged_by: null,
  is_resolved: false,
  resolved_by: null,
  resolved_at: null,
  created_at: at,
  version: 1,
})

/** The types of activities whose comment is feedback for the contributor. */
const feedbackTypes = ['rejected', 'changes_requested', 'accepted', 'commented']

/**
 * Adds an activity to the record item. The item holds the latest five, so lists of contributions need not read
 * histories.
 */
export function withActivity(record: RecordItem, added: Activity, actor: Actor): RecordItem {
  const { activity_id, activity_type, comment, created_at } = added
  const brief = { activity_id, activity_type, comment, created_at, user_id: actor.id, username: actor.username }
  return {
    ...record,
    activity_count: record.activity_count + 1,
    recent_activities: [brief, ...record.recent_activities].slice(0, MOST_RECENT),
    latest_feedback: comment && feedbackTypes.includes(activity_type) ? brief : record.latest_feedback,
  }
}

/**
 * Changes the comment of an activity within the record item. If this empties the latest feedback, the newest feedback among the latest five
 * activities takes its place. If it does not, the latest feedback stays, also if five other activities have followed it.
 */
export function withActivityComment(record: RecordItem, activity_id: string, comment: string): RecordItem {
  const recent_activities = record.recent_activities.map((brief) =>
    brief.activity_id === activity_id ? { ...brief, comment } : brief,
  )
  const latest = record.latest_feedback
  const earlier =
    recent_activities.find((brief) => brief.comment && feedbackTypes.includes(brief.activity_type)) ?? null
  const changed = latest && comment ? { ...latest, comment } : earlier
  return { ...record, recent_activities, latest_feedback: latest?.activity_id === activity_id ? changed : latest }
}
