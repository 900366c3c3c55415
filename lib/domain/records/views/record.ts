import * as v from 'valibot'
import { omit } from '../../../base/omit.ts'
import * as s from '../../../base/shapes.ts'
import { type Actor, maySeeTier, worksOn } from '../../../platform/permissions.ts'
import { type Field, type Kind, kindKeys, kinds, whenKindsChange } from '../../kinds/index.ts'
import { LabelView, labelsFor, withLabels } from '../../labels/labels.ts'
import { picturesIn } from '../../pictures/items.ts'
import { picturesView } from '../../pictures/view.ts'
import type { ClaimWithRecord } from '../assertions.ts'
import {
  type Assertion,
  changedAt,
  claimStatuses,
  isSettled,
  type LoadedRecord,
  type RecordItem,
  type RecordRow,
} from '../items.ts'
import { isPlaceHidden, visiblePoint, visibleValue } from '../place.ts'
import type { Visible } from '../shown.ts'

/** Records as answers show them. These functions read nothing from the table. */

/** Shows a record in a list: every field under each of its names, and members that the service adds. */
export function recordRow(record: Visible<RecordRow>, actor: Actor | null): Record<string, unknown> {
  const kind = kinds[record.kind]
  const values = visibleValuesAndPoint(record, actor)
  return Object.assign(fieldMembers(kind, record, values.data), {
    name: record.name,
    ...(kind.nameField === 'title' && { title: record.name }),
    ...(hasPoint(kind) && { latitude: values.point?.lat ?? null, longitude: values.point?.lng ?? null }),
    access_tier: record.access_tier,
    contributor: record.contributor,
    status: publicStatus(record),
    category: record.category,
    cultural_entity_id: record.entity_id,
    created_at: record.created_at,
    updated_at: visibleUpdatedAt(record, actor),
    ...withLabels(record.labels),
    ...successorOf(record),
    ...tombstoneOf(record),
  })
}

/** The member that names the record that took the place of this one. Absent if none did, or if the reader may not see it. */
export const successorOf = ({ superseded_by }: Visible<Pick<RecordRow, 'superseded_by'>>) =>
  superseded_by === null ? {} : { superseded_by }

/** The members that mark a deleted record. Only staff see one. */
export const tombstoneOf = ({ deleted_at }: Pick<RecordRow, 'deleted_at'>) =>
  deleted_at ? { deleted_at, is_deleted: true } : {}

/** Shows a record with its claims. Tangible records also have the events, deities and guthis that name them. */
export function recordDetail(record: Visible<LoadedRecord>, actor: Actor | null): Record<string, unknown> {
  const kind = kinds[record.kind]
  const claims = record.assertions.filter((claim) => mayShowClaim(record, claim, actor))
  return {
    ...recordRow(record, actor),
    ...(kind.category === 'tangible' && linkedRecords(record, actor)),
    assertions: claims.map((claim) => assertionView(claim, isPlaceHidden(record, claim.asserted_property, actor))),
  }
}

function linkedRecords({ links }: LoadedRecord, actor: Actor | null) {
  const cards = links.filter((card) => maySeeTier(actor, card.access_tier))
  const cardsOf = (isWanted: (kind: Kind) => boolean) =>
    cards
      .filter((card) => isWanted(kinds[card.kind]))
      .map(({ id, name, kind, relation }) => ({ id, name, type: kind, relation }))
  return {
    linked_events: cardsOf(({ category }) => category === 'event' || category === 'kumari'),
    linked_deities: cardsOf((kind) => kind.key === 'deity'),
    linked_guthis: cardsOf((kind) => kind.key === 'guthi'),
  }
}

/** Returns the time of the last change. For readers who do not work on the record, a waiting edit is no change. */
export const visibleUpdatedAt = (record: RecordRow, actor: Actor | null) =>
  worksOn(actor, record) ? record.updated_at : changedAt(record)

/** Returns the status for all readers. It does not reveal a waiting edit. */
export const publicStatus = (record: Pick<RecordRow, 'public' | 'status' | 'superseded_by'>) =>
  record.public && record.superseded_by === null ? 'accepted' : record.status

/** The status for this reader: those who work on the record see that an edit waits. */
export const visibleStatus = (record: RecordRow, actor: Actor | null) =>
  worksOn(actor, record) ? record.status : publicStatus(record)

/** Whether a reader of the record may read a claim. Its author and those who work on the record read every claim. */
export const mayShowClaim = (record: LoadedRecord, claim: Assertion, actor: Actor | null) =>
  isSettled(claim) || worksOn(actor, record) || actor?.id === claim.contributor_id

/** Returns the values and the point of a record. A hidden place is rounded in both. */
export function visibleValuesAndPoint(
  record: Visible<RecordRow>,
  actor: Actor | null,
): Pick<RecordItem, 'data' | 'point'> {
  const point = visiblePoint(record, actor)
  return point === record.point ? record : { point, data: visibleValues(record, record.data, actor) }
}

/** Returns values of a record. A hidden place is rounded. */
export function visibleValues(
  record: Visible<RecordRow>,
  data: RecordItem['data'],
  actor: Actor | null,
): RecordItem['data'] {
  const { coordinates } = data
  const visible = visibleValue(record, 'coordinates', coordinates, actor)
  return visible === coordinates ? data : { ...data, coordinates: visible }
}

const hasPoint = (kind: Kind) => rowLayoutOf(kind).hasPoint

/** `names`: the name and aliases of a field. `blank`: a row in which every member is null. */
type RowLayout = {
  hasPoint: boolean
  fields: readonly (readonly [name: string, field: Field, names: readonly string[]])[]
  blank: Readonly<Record<string, unknown>>
}
const rowLayouts = new Map<Kind, RowLayout>()
whenKindsChange(() => rowLayouts.clear())

function rowLayoutOf(kind: Kind): RowLayout {
  const known = rowLayouts.get(kind)
  if (known) return known
  const fields = Object.entries(kind.fields).map(([name, field]) => [name, field, [name, ...field.aliases]] as const)
  const names = fields.flatMap(([, , all]) => all)
  const layout = {
    hasPoint: fields.some(([, field]) => field.type === 'coordinates'),
    fields,
    // Parsed from JSON on purpose. V8 turns an object with many computed names into a dictionary, which is slow to copy and to write.
    blank: JSON.parse(JSON.stringify(Object.fromEntries(['id', ...names].map((name) => [name, null])))),
  }
  rowLayouts.set(kind, layout)
  return layout
}

/** The id, and each field under its name and aliases. A missing value is "", null or an empty list, as forms expect. */
function fieldMembers(
  kind: Kind,
  { id, entity_id }: RecordRow,
  data: Record<string, unknown>,
): Record<string, unknown> {
  const { fields, blank } = rowLayoutOf(kind)
  const members: Record<string, unknown> = { ...blank, id }
  for (const [name, field, names] of fields) {
    const value = field.type === 'media' ? picturesView(entity_id, picturesIn(data)) : wireValue(field, data[name])
    for (const member of names)
      members[member] = member === 'aliases' && Array.isArray(value) ? value.join(', ') : value
  }
  return members
}

function wireValue(field: Field, value: unknown): unknown {
  if (field.type === 'relation') {
    const links = Array.isArray(value) ? value.map(({ id, name }) => ({ id, name })) : []
    return field.multivalued ? links : (links[0] ?? null)
  }
  if (value !== undefined) return value
  if (field.type === 'labels') return []
  return field.type === 'number' || field.type === 'float' || field.type === 'boolean' ? null : ''
}

/** Shows a claim by itself, with the labels on its value. */
export const claimView = ({ claim, about }: Visible<ClaimWithRecord>, actor: Actor | null) => ({
  ...assertionView(claim, about !== undefined && isPlaceHidden(about, claim.asserted_property, actor)),
  ...withLabels(labelsFor(about?.labels ?? [], claim.asserted_property)),
})

export const AssertionView = s.shape('Assertion', () =>
  v.object({
    id: s.uuid,
    property: s.text,
    value: s.text,
    asserted_property: s.text,
    asserted_value: s.text,
    assertion_content: s.text,
    source_type: s.text,
    source_citation: s.text,
    source_url: s.text,
    source: s.maybe(s.uuid),
    confidence: s.text,
    confidence_score: s.maybe(v.number()),
    data_quality_note: s.text,
    justification_note: s.text,
    crminf_conclusion: s.text,
    temporal_scope_edtf: s.text,
    generated_at_time: s.text,
    supporting_sources: v.array(s.text),
    attributed_to_agent: s.text,
    /** Absent if the claim has none. */
    identifier: v.exactOptional(s.text),
    software: s.maybe(s.text),
    entity_type: s.oneOf(kindKeys),
    entity_id: v.union([s.whole, s.uuid]),
    cultural_entity_id: s.uuid,
    object_id: s.whole,
    content_type_name: s.text,
    object_entity_type: s.maybe(s.text),
    object_entity_id: s.maybe(v.union([s.whole, s.text])),
    contributed_by: s.text,
    reconciliation_status: s.oneOf(claimStatuses),
    supersedes: s.maybe(s.uuid),
    refines: s.maybe(s.uuid),
    revision_number: s.maybe(s.whole),
    created_at: s.time,
    updated_at: s.time,
    /** Only in the view of one claim, if its value or record has labels. */
    labels: v.exactOptional(v.array(LabelView)),
  }),
)
/** A new claim. It has no `entity_id`, which forms would take for the id of the claim. */
export const NewAssertionView = s.shape('NewAssertion', () => {
  return v.object(omit(AssertionView.entries, 'entity_id'))
})

/**
 * Shows a claim under the names of the specification and of the dashboard. `isHidden`: the caller may not see its
 * value.
 */
export function assertionView(claim: Assertion, isHidden = false): s.Output<typeof AssertionView> {
  const { kind, entity_id, object_id } = claim
  const text = isHidden ? '' : claim.asserted_value
  return {
    ...omit(claim, 'kind', 'version', 'contributor_id', 'audience', 'settlings', 'identifier'),
    ...(claim.identifier && { identifier: claim.identifier }),
    asserted_value: text,
    property: claim.asserted_property,
    value: text,
    entity_type: kind,
    entity_id: kinds[kind].record ? object_id : entity_id,
    cultural_entity_id: entity_id,
    content_type_name: kinds[kind].typeScope ?? kind,
  }
}
