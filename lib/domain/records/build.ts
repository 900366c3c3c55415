import { newChildId, newPackIds, now } from '../../base/clock.ts'
import { recordId } from '../../base/ids/address.ts'
import { omit } from '../../base/omit.ts'
import { isCoarse, openTier } from '../../base/visibility.ts'
import { nextNumber } from '../../engines/table/immediate.ts'
import { put, type Write } from '../../engines/table/index.ts'
import { type Indexed, indexWrites } from '../../platform/name-index/entries.ts'
import type { Actor } from '../../platform/permissions.ts'
import { type AssertionInput, type Kind, kinds, pointOf } from '../kinds/index.ts'
import { identitiesOf } from '../names/identities.ts'
import { namesOf, textOf } from '../names/text.ts'
import type { Values } from '../names/values.ts'
import { claimWrites } from './claim-packs.ts'
import {
  type Activity,
  type Assertion,
  activity,
  type Flag,
  flag,
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

/** A create that fails leaves a gap in the numbers of its kind. It does no harm. */
export const nextRecordId = (kind: Kind): Promise<number> => nextNumber(kind.key)

/** `stub`: another contribution names the record, and nobody has described it yet. */
export type NewRecordInput = {
  data: Values
  /** Pass it where it is computed already. */
  header?: Header
  source: AssertionInput
  actor: Actor
  flags?: readonly NewFlag[]
  stub?: boolean
  batch?: BatchRow | undefined
}

/** The import with this `id`, and the row of it that the record came from. */
export type BatchRow = { id: string; row: number }

/** Builds a new record, which waits for review at once. README.md lists the items. */
export function newRecord(
  kind: Kind,
  id: number,
  { data, header = headerOf(kind, data), source, actor, flags = [], stub = false, batch }: NewRecordInput,
): PlannedRecord {
  const at = now()
  const entity_id = recordId(kind.code, id)
  const submitted = newActivity(entity_id, actor, 'submitted', stub ? 'Named by another contribution.' : '', at)
  const first: RecordItem = {
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
    open_contradictions: 0,
    contradicted: false,
    decided: false,
    activity_count: 0,
    claim_count: Object.keys(data).length,
    ...worstSource(Object.keys(data).length > 0 ? [source.source_type] : []),
    queue_age: 'fresh',
    recent_activities: [],
    latest_feedback: null,
    required_persona: 'community_reviewer',
    stub,
    batch: batch ? { ...batch, revision: 1 } : null,
    created_at: at,
    updated_at: at,
    deleted_at: null,
    version: 1,
  }
  const next = withActivity(first, submitted, actor)
  const assertions = newClaims({ about: next, source, actor, revision_number: 1, at }, Object.entries(data))
  const made = newRevision(next, data, actor, at)
  const writes = [
    put(recordItem, next, undefined),
    put(revision, made, undefined),
    put(activity, submitted, undefined),
    ...claimWrites([], assertions, next),
    ...flags.map((it) => put(flag, newFlag(next, it, at), undefined)),
    ...indexWrites(undefined, nameEntryOf(next, header)),
    ...queueWrites(undefined, next),
  ]
  return { record: next, assertions, revision: made, activity: submitted, writes }
}

/** What is computed from a record's values for rows, rules, the name index and the search for duplicates. */
export type Header = Pick<RecordItem, 'name' | 'category' | 'access_tier' | 'point'> & {
  /** All names, the main name first. */
  names: string[]
  /** Its id in the source that it comes from. */
  identifier: string | undefined
  /** What identifies it besides its names. Example: `wd:q37`. */
  identities: string[]
}

/** It reads all values and names, so compute it once for each write. */
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
 * The point in the name index. A record with a coarse place has none: a caller who guesses often enough would find the
 * exact place.
 */
const searchablePoint = ({ point, access_tier }: Pick<RecordItem, 'point' | 'access_tier'>) =>
  isCoarse(access_tier) ? null : point

/** A deleted record has no entry, so nobody finds it by name. */
export function storedNameEntryOf(it: RecordItem): Indexed | undefined {
  if (it.deleted_at) return undefined
  return {
    ...it,
    names: namesOf(it.name, it.data),
    identifier: textOf(it.data.identifier) || undefined,
    identities: identitiesOf(kinds[it.kind], it.data),
    point: searchablePoint(it),
  }
}

export type ClaimOrigin = {
  about: Pick<RecordItem, 'entity_id' | 'kind' | 'id'>
  source: AssertionInput
  actor: Actor
  /** The revision that holds the values. Null for a claim that was made apart from a contribution. */
  revision_number: number | null
  at: string
}

/** All claims of a contribution get ids of one pack, so they are stored as one item. */
export function newClaims(by: ClaimOrigin, values: Iterable<readonly [property: string, value: unknown]>): Assertion[] {
  const nextId = newPackIds(by.about.entity_id)
  return Array.from(values, ([property, value]) => newClaim(by, property, value, nextId()))
}

/** Without `id` the claim gets a pack of its own. */
export function newClaim(
  { about: it, source, actor, revision_number, at }: ClaimOrigin,
  property: string,
  value: unknown,
  id = newPackIds(it.entity_id)(),
): Assertion {
  return {
    ...source,
    id,
    entity_id: it.entity_id,
    kind: it.kind,
    object_id: it.id,
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

export const newRevision = (it: RecordItem, data: Values, actor: Actor, at: string): Revision => ({
  revision_id: it.current_revision_id,
  entity_id: it.entity_id,
  revision_number: it.current_revision,
  data,
  created_by: actor.id,
  created_at: at,
  version: 1,
})

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

/** A doubt of the service, before it is stored as a flag. */
export type NewFlag = Pick<Flag, 'flag_type' | 'reason'> &
  Partial<Pick<Flag, 'other_entity_id' | 'assertion_ids' | 'property'>>

/** Builds a flag that the service raises: `flagged_by` is null. */
export const newFlag = (it: Pick<RecordItem, 'entity_id' | 'contributor_id'>, raised: NewFlag, at: string): Flag => ({
  other_entity_id: null,
  assertion_ids: [],
  property: null,
  ...raised,
  id: newChildId(it.entity_id),
  entity_id: it.entity_id,
  contributor_id: it.contributor_id,
  of_edit: true,
  audience: 'withheld',
  flagged_by: null,
  is_resolved: false,
  resolved_by: null,
  resolved_at: null,
  created_at: at,
  version: 1,
})

const feedback = ['rejected', 'changes_requested', 'accepted', 'commented']

/**
 * Adds an activity to the record item. The item holds the latest five, so lists of contributions need not read
 * histories.
 */
export function withActivity(it: RecordItem, done: Activity, actor: Actor): RecordItem {
  const { activity_id, activity_type, comment, created_at } = done
  const brief = { activity_id, activity_type, comment, created_at, user_id: actor.id, username: actor.username }
  return {
    ...it,
    activity_count: it.activity_count + 1,
    recent_activities: [brief, ...it.recent_activities].slice(0, 5),
    latest_feedback: comment && feedback.includes(activity_type) ? brief : it.latest_feedback,
  }
}

/** Call it when the comment of an activity has changed. An emptied comment makes an earlier one `latest_feedback`. */
export function withActivityComment(it: RecordItem, activity_id: string, comment: string): RecordItem {
  const recent_activities = it.recent_activities.map((each) =>
    each.activity_id === activity_id ? { ...each, comment } : each,
  )
  const isLatest = it.latest_feedback?.activity_id === activity_id
  const earlier = recent_activities.find((each) => each.comment && feedback.includes(each.activity_type)) ?? null
  return { ...it, recent_activities, latest_feedback: isLatest ? earlier : it.latest_feedback }
}
