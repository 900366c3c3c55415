import { newChildId, newPackIds, now } from '../clock.ts'
import { recordId } from '../ids/address.ts'
import { type Kind, kinds, type Provenance, pointOf } from '../kinds/index.ts'
import { identitiesOf } from '../names/identities.ts'
import { type Indexed, indexWrites } from '../names/index.ts'
import { namesOf, textOf } from '../names/text.ts'
import type { Values } from '../names/values.ts'
import { type Actor, isCoarse, openTier } from '../permissions.ts'
import { put, type Write } from '../table/item.ts'
import { nextOf } from '../table/sequence.ts'
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

/** The parts of which every change of a record is made. Values only: nothing is written here. */

export type Change = {
  record: RecordItem
  assertions: Assertion[]
  revision: Revision
  activity: Activity
  writes: Write[]
}

/** The next small integer of a kind. A number that ends up unused leaves a gap and does no harm. */
export const nextId = (kind: Kind): Promise<number> => nextOf(kind.key)

/** What a new record is made of. `stub`: another contribution names it, and nobody has made it yet. */
export type Opening = {
  data: Values
  /** Of `data`, where the caller has computed it already. */
  header?: Header
  source: Provenance
  actor: Actor
  flags?: readonly Raised[]
  stub?: boolean
  batch?: BatchRow | undefined
}

/** A row of an import. */
export type BatchRow = { id: string; row: number }

/** A new contribution: record item, first revision, one assertion per value, activity, and what it is found by. */
export function newRecord(
  kind: Kind,
  id: number,
  { data, header = headerOf(kind, data), source, actor, flags = [], stub = false, batch }: Opening,
): Change {
  const at = now()
  const entity_id = recordId(kind.code, id)
  const submitted = activityOf(entity_id, actor, 'submitted', stub ? 'Named by another contribution.' : '', at)
  const first: RecordItem = {
    entity_id,
    kind: kind.key,
    id,
    ...summaryOf(header),
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
    ...{ activity_count: 0, claim_count: Object.keys(data).length },
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
  const made = revisionOf(next, data, actor, at)
  const writes = [
    put(recordItem, next, undefined),
    put(revision, made, undefined),
    put(activity, submitted, undefined),
    ...claimWrites([], assertions, next),
    ...flags.map((it) => put(flag, flagOf(next, it, at), undefined)),
    ...indexWrites(undefined, indexedAs(next, header)),
    ...queueWrites(undefined, next),
  ]
  return { record: next, assertions, revision: made, activity: submitted, writes }
}

/** What rows, rules, the index of names and likeness need of a record's values. */
export type Header = Pick<RecordItem, 'name' | 'category' | 'access_tier' | 'point'> & {
  /** Every name, the record's own first. */
  names: string[]
  /** Its id in the source that it comes from. */
  identifier: string | undefined
  /** What identifies it besides its names. */
  identities: string[]
}

/** The header of a record of a kind with these values. Computed once for a write and handed on. */
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

/** The part of a header that the record item holds. */
export const summaryOf = ({ names: _, identifier: __, identities: ___, ...summary }: Header) => summary

/** What a record with this header is found by. */
export const indexedAs = (
  { entity_id, kind, id }: RecordItem,
  { names, identifier, identities, ...where }: Header,
): Indexed => ({
  ...{ entity_id, kind, id },
  ...{ names, identifier, identities, point: pointFound(where) },
})

/** Where a record is found. One whose place is guarded is found by its names alone: whoever guesses often would hit on the place. */
const pointFound = ({ point, access_tier }: Pick<RecordItem, 'point' | 'access_tier'>) =>
  isCoarse(access_tier) ? null : point

/** What a stored record is found by; nothing once it is deleted. */
export function indexedOf(it: RecordItem): Indexed | undefined {
  if (it.deleted_at) return undefined
  return {
    ...it,
    names: namesOf(it.name, it.data),
    identifier: textOf(it.data.identifier) || undefined,
    identities: identitiesOf(kinds[it.kind], it.data),
    point: pointFound(it),
  }
}

export type NewClaims = {
  about: Pick<RecordItem, 'entity_id' | 'kind' | 'id'>
  source: Provenance
  actor: Actor
  /** The revision that carries the values; null for a claim made apart. */
  revision_number: number | null
  at: string
}

/** Values of one contribution as claims with their source, which are kept together. */
export function newClaims(by: NewClaims, values: Iterable<readonly [property: string, value: unknown]>): Assertion[] {
  const nextId = newPackIds(by.about.entity_id)
  return Array.from(values, ([property, value]) => newClaim(by, property, value, nextId()))
}

/** One value as a claim, which is kept by itself. */
export function newClaim(
  { about: it, source, actor, revision_number, at }: NewClaims,
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

/** The values of a record's current revision, as an item of its history. */
export const revisionOf = (it: RecordItem, data: Values, actor: Actor, at: string): Revision => ({
  revision_id: it.current_revision_id,
  entity_id: it.entity_id,
  revision_number: it.current_revision,
  data,
  created_by: actor.id,
  created_at: at,
  version: 1,
})

/** What someone does to a record, as an item of its history. */
export const activityOf = (
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

/** What the conflict check has to say; it becomes a flag. */
export type Raised = Pick<Flag, 'flag_type' | 'reason'> &
  Partial<Pick<Flag, 'other_entity_id' | 'assertion_ids' | 'property'>>

/** A flag that the service itself raises. */
export const flagOf = (it: Pick<RecordItem, 'entity_id' | 'contributor_id'>, raised: Raised, at: string): Flag => ({
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

/** The record item with an activity among its latest; lists of contributions show them without reading each history. */
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

/** The record item after the comment of an activity has changed. Where that is empty now, an earlier comment is the latest. */
export function withActivityComment(it: RecordItem, activity_id: string, comment: string): RecordItem {
  const recent_activities = it.recent_activities.map((each) =>
    each.activity_id === activity_id ? { ...each, comment } : each,
  )
  const isLatest = it.latest_feedback?.activity_id === activity_id
  const earlier = recent_activities.find((each) => each.comment && feedback.includes(each.activity_type)) ?? null
  return { ...it, recent_activities, latest_feedback: isLatest ? earlier : it.latest_feedback }
}
