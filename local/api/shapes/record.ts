import * as v from 'valibot'
import { type Field, type Kind, kindKeys, kinds, recordKinds } from '../../../lib/kinds/index.ts'
import { statuses } from '../../../lib/records/rules/status.ts'
import { maybe, oneOf, text, time, tombstone, uuid, whole } from './common.ts'
import { DatesShown } from './dates.ts'
import { Picture } from './picture.ts'

/** Records under /cidoc/, one shape for each kind, from its declaration. */

/** A record that another names. Where the reader may not see it, `id` is null and `name` the words of the contributor. */
export const Link = v.object({ id: maybe(v.union([whole, uuid])), name: text })

/** A claim: one value of one property, with its source. */
export const Assertion = v.object({
  id: uuid,
  property: text,
  value: text,
  asserted_property: text,
  asserted_value: text,
  assertion_content: text,
  source_type: text,
  source_citation: text,
  source_url: text,
  source: maybe(uuid),
  confidence: text,
  confidence_score: maybe(v.number()),
  data_quality_note: text,
  justification_note: text,
  crminf_conclusion: text,
  temporal_scope_edtf: text,
  generated_at_time: text,
  supporting_sources: v.array(text),
  attributed_to_agent: text,
  software: maybe(text),
  entity_type: oneOf(kindKeys),
  entity_id: v.union([whole, uuid]),
  cultural_entity_id: uuid,
  object_id: whole,
  content_type_name: text,
  object_entity_type: maybe(text),
  object_entity_id: maybe(v.union([whole, text])),
  contributed_by: text,
  reconciliation_status: oneOf(['pending', 'accepted', 'disputed', 'superseded']),
  supersedes: maybe(uuid),
  refines: maybe(uuid),
  revision_number: maybe(whole),
  created_at: time,
  updated_at: time,
})
/** A claim just made. It has no `entity_id`, which forms would take for the id of what they made. */
export const NewAssertion = v.omit(Assertion, ['entity_id'])

/** A published record that names this one. */
export const LinkedRecord = v.object({ id: whole, name: text, type: oneOf(kindKeys), relation: text })

const rows = new Map(recordKinds.map((key) => [String(key), rowShape(kinds[key])]))
const records = new Map(recordKinds.map((key) => [String(key), recordShape(kinds[key])]))

/** A row of the list of a kind. */
export const rowOf = (kind: Kind): v.GenericSchema => rows.get(kind.key) ?? v.never()
/** A record of a kind with its claims. */
export const recordOf = (kind: Kind): v.GenericSchema => records.get(kind.key) ?? v.never()

/** The shapes of all kinds by the names that they have in the document. */
export const ofKinds: Readonly<Record<string, v.GenericSchema>> = Object.fromEntries(
  recordKinds.flatMap((key) => [
    [`${titled(key)}Row`, rowOf(kinds[key])],
    [titled(key), recordOf(kinds[key])],
  ]),
)

/** `transfer_of_custody` is TransferOfCustody. */
export function titled(key: string): string {
  return key.replace(/(^|_)(\w)/g, (_, __, letter: string) => letter.toUpperCase())
}

function rowShape(kind: Kind) {
  const hasPoint = Object.values(kind.fields).some((field) => field.type === 'coordinates')
  const declared = Object.entries(kind.fields).flatMap(([name, field]) =>
    [name, ...field.aliases].map((each) => [each, each === 'aliases' ? text : shapeOf(field)]),
  )
  return v.object({
    id: whole,
    ...Object.fromEntries(declared),
    name: text,
    ...(kind.nameField === 'title' && { title: text }),
    ...(hasPoint && { latitude: maybe(v.number()), longitude: maybe(v.number()) }),
    access_tier: text,
    contributor: text,
    status: oneOf(statuses),
    category: text,
    cultural_entity_id: uuid,
    created_at: time,
    updated_at: time,
    dates: v.optional(DatesShown),
    ...tombstone,
  })
}

function recordShape(kind: Kind) {
  const linked = v.array(LinkedRecord)
  return v.object({
    ...rowShape(kind).entries,
    ...(kind.category === 'tangible' && { linked_events: linked, linked_deities: linked, linked_guthis: linked }),
    assertions: v.array(Assertion),
  })
}

/** A value as answers carry it: what is absent is "", null or an empty list. */
function shapeOf({ type, multivalued }: Field): v.GenericSchema {
  if (type === 'relation') return multivalued ? v.array(Link) : maybe(Link)
  if (type === 'labels') return v.array(text)
  if (type === 'media') return v.array(Picture)
  if (type === 'number' || type === 'float') return maybe(v.number())
  return type === 'boolean' ? maybe(v.boolean()) : text
}
