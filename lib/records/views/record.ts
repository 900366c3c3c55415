import { type Field, type Kind, kinds } from '../../kinds/index.ts'
import { type Actor, maySeeTier, worksOn } from '../../permissions.ts'
import { picturesIn } from '../../pictures/values.ts'
import { picturesView } from '../../pictures/view.ts'
import type { Claim } from '../assertions.ts'
import type { Loaded } from '../items.ts'
import { type Assertion, changedAt, type RecordItem, type RecordRow } from '../items.ts'
import { isKept, pointFor, valueFor } from '../place.ts'
import type { Shown } from '../shown.ts'

/** How stored records look on the wire. Pure: nothing is read here. */

/** A row of a kind's list: every declared member under each of its names, beside what the service keeps itself. */
export function rowOf(it: Shown<RecordRow>, actor: Actor | null): Record<string, unknown> {
  const kind = kinds[it.kind]
  const values = guarded(it, actor)
  return Object.assign(members(kind, it, values.data), {
    name: it.name,
    ...(kind.nameField === 'title' && { title: it.name }),
    ...(hasPoint(kind) && { latitude: values.point?.lat ?? null, longitude: values.point?.lng ?? null }),
    access_tier: it.access_tier,
    contributor: it.contributor,
    status: statusOf(it),
    category: it.category,
    cultural_entity_id: it.entity_id,
    created_at: it.created_at,
    updated_at: updatedAt(it, actor),
    ...tombstoneOf(it),
  })
}

/** What marks a deleted record; only staff read one. */
export const tombstoneOf = ({ deleted_at }: Pick<RecordRow, 'deleted_at'>) =>
  deleted_at ? { deleted_at, is_deleted: true } : {}

/** A record of a kind with its provenance. */
export function detailOf(it: Shown<Loaded>, actor: Actor | null): Record<string, unknown> {
  const kind = kinds[it.kind]
  const shown = it.assertions.filter((one) => showsAssertion(it, one, actor))
  return {
    ...rowOf(it, actor),
    ...(kind.category === 'tangible' && linked(it, actor)),
    assertions: shown.map((one) => assertionView(one, isKept(it, one.asserted_property, actor))),
  }
}

/** Published records that name this one, by what they are. */
function linked(it: Loaded, actor: Actor | null) {
  const shown = it.links.filter((one) => maySeeTier(actor, one.access_tier))
  const rows = (fits: (kind: Kind) => boolean) =>
    shown
      .filter((one) => fits(kinds[one.kind]))
      .map(({ id, name, kind, relation }) => ({ id, name, type: kind, relation }))
  return {
    linked_events: rows((each) => each.category === 'event' || each.category === 'kumari'),
    linked_deities: rows((each) => each.key === 'deity'),
    linked_guthis: rows((each) => each.key === 'guthi'),
  }
}

/** An edit that waits is a change for those who work on the record, and for nobody else. */
export const updatedAt = (it: RecordRow, actor: Actor | null) => (worksOn(actor, it) ? it.updated_at : changedAt(it))

/** What the public may know of a record's state: an edit that waits is nobody's business. */
export const statusOf = (it: RecordRow) => (it.public ? 'accepted' : it.status)

/** Claims that wait or lost are shown to those who may see what is withheld. */
export const showsAssertion = (it: Loaded, one: Assertion, actor: Actor | null) =>
  one.reconciliation_status === 'accepted' ||
  one.reconciliation_status === 'disputed' ||
  worksOn(actor, it) ||
  actor?.id === one.contributor_id

/** The values and the place of a record as the caller may know them. */
export function guarded(it: Shown<RecordRow>, actor: Actor | null): Pick<RecordItem, 'data' | 'point'> {
  const point = pointFor(it, actor)
  return point === it.point ? it : { point, data: valuesFor(it, it.data, actor) }
}

/** Values of the record as the caller may know them: a place that is hidden is rounded. */
export function valuesFor(it: Shown<RecordRow>, data: RecordItem['data'], actor: Actor | null): RecordItem['data'] {
  const { coordinates } = data
  const known = valueFor(it, 'coordinates', coordinates, actor)
  return known === coordinates ? data : { ...data, coordinates: known }
}

const hasPoint = (kind: Kind) => wiresOf(kind).hasPoint

/** What rows of a kind show: the names of each field, whether there is a point, and a row of which nothing is known. */
type Wires = {
  hasPoint: boolean
  fields: readonly (readonly [name: string, field: Field, names: readonly string[]])[]
  blank: Readonly<Record<string, unknown>>
}
const wires = new WeakMap<Kind, Wires>()

function wiresOf(kind: Kind): Wires {
  const known = wires.get(kind)
  if (known) return known
  const fields = Object.entries(kind.fields).map(([name, field]) => [name, field, [name, ...field.aliases]] as const)
  const names = fields.flatMap(([, , all]) => all)
  const found = {
    hasPoint: fields.some(([, field]) => field.type === 'coordinates'),
    fields,
    // Read as JSON, since V8 keeps an object that has grown by so many computed names as a dictionary, slow to copy and to write.
    blank: JSON.parse(JSON.stringify(Object.fromEntries(['id', ...names].map((name) => [name, null])))),
  }
  wires.set(kind, found)
  return found
}

/** The id, and each field under its name and its aliases; what is absent is "", null or an empty list, as forms and tables expect. */
function members(kind: Kind, { id, entity_id }: RecordRow, data: Record<string, unknown>): Record<string, unknown> {
  const { fields, blank } = wiresOf(kind)
  const made: Record<string, unknown> = { ...blank, id }
  for (const [name, field, names] of fields) {
    const value = field.type === 'media' ? picturesView(entity_id, picturesIn(data)) : wire(field, data[name])
    for (const each of names) made[each] = each === 'aliases' && Array.isArray(value) ? value.join(', ') : value
  }
  return made
}

function wire(field: Field, value: unknown): unknown {
  if (field.type === 'relation') {
    const links = Array.isArray(value) ? value.map(({ id, name }) => ({ id, name })) : []
    return field.multivalued ? links : (links[0] ?? null)
  }
  if (value !== undefined) return value
  if (field.type === 'labels') return []
  return field.type === 'number' || field.type === 'float' || field.type === 'boolean' ? null : ''
}

/** An assertion as its own page and lists show it. */
export const claimView = ({ claim, about }: Shown<Claim>, actor: Actor | null) =>
  assertionView(claim, about !== undefined && isKept(about, claim.asserted_property, actor))

/** An assertion, under the specification's names and the dashboard's; without its value where that is kept from the caller. */
export function assertionView(it: Assertion, kept = false): Record<string, unknown> {
  const {
    value: _,
    version: __,
    kind,
    entity_id,
    object_id,
    contributor_id: ___,
    audience: ____,
    settlings: _____,
    ...rest
  } = it
  const text = kept ? '' : it.asserted_value
  return {
    ...rest,
    asserted_value: text,
    property: it.asserted_property,
    value: text,
    entity_type: kind,
    entity_id: kinds[it.kind].record ? object_id : entity_id,
    cultural_entity_id: entity_id,
    object_id,
    content_type_name: kinds[it.kind].typeScope ?? kind,
  }
}
