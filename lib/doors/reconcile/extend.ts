import * as v from 'valibot'
import { invalid } from '../../base/errors.ts'
import { recordId } from '../../base/ids/address.ts'
import * as s from '../../base/shapes.ts'
import { mapWithinBudget } from '../../base/telemetry/budget.ts'
import { type Field, kinds } from '../../domain/kinds/index.ts'
import { isLink, textOf } from '../../domain/names/text.ts'
import { type RecordItem, recordItem } from '../../domain/records/items.ts'
import { showRecords, type Visible } from '../../domain/records/shown.ts'
import { visibleValuesAndPoint } from '../../domain/records/views/record.ts'
import { getMany, itemIn } from '../../engines/table/index.ts'
import { type Actor, maySee } from '../../platform/permissions.ts'
import { key } from '../../platform/table/keys.ts'
import { matchedKinds, typeEntry, typeOf } from './manifest.ts'
import type { Extension } from './queries.ts'

/** A value in an answer of data extension. */
type Value = { str: string } | { float: number } | { bool: boolean } | { date: string } | { id: string; name: string }

const extendedValue = () =>
  v.union([
    v.object({ id: s.text, name: s.text }),
    v.object({ str: s.text }),
    v.object({ float: v.number() }),
    v.object({ bool: v.boolean() }),
    v.object({ date: s.text }),
  ])
export const ExtendedView = s.shape('Extended', () =>
  v.object({
    meta: v.array(v.object({ ...typeEntry().entries, type: v.optional(typeEntry()) })),
    rows: v.record(v.string(), v.record(v.string(), v.array(extendedValue()))),
  }),
)

/** Records that are read together at first. The cost decides how many follow. */
const RECORDS_IN_PART = 20

/**
 * The values of properties of records. A property is empty if it has no value, or if the caller may not see the record or the value. Fails
 * with `invalid` if the records are so large that they cost more than one request may. Two calls for the first 20 records; larger parts
 * follow while they are cheap.
 */
export async function extendRecords({ ids, properties }: Extension, actor: Actor | null) {
  const wanted = [...new Set(ids)].filter((id) => UUID.test(id))
  const names = properties.map(({ id }) => id)
  const { results, done } = await mapWithinBudget(wanted, RECORDS_IN_PART, (part) => recordsWith(part, names, actor))
  if (done < wanted.length) throw invalid({ extend: [`These records are large. Ask for at most ${done} ids at once.`] })
  const shown = new Map(results.map((it) => [it.entity_id, it]))
  const row = (id: string) => {
    const it = shown.get(id)
    return Object.fromEntries(properties.map((one) => [one.id, it ? valuesOf(it, one.id, actor) : []]))
  }
  return {
    meta: properties.map(({ id }) => metaOf(id)),
    rows: Object.fromEntries([...new Set(ids)].map((id) => [id, row(id)])),
  }
}

/** Records that the caller may see, with the values of these properties alone. So only the links of these properties are read. */
async function recordsWith(ids: readonly string[], names: readonly string[], actor: Actor | null) {
  const found = await getMany(ids.map(key.head))
  const open = ids
    .flatMap((id) => itemIn(found, recordItem, { entity_id: id }) ?? [])
    .filter((it) => it.public && !it.deleted_at && maySee(actor, it))
  const only = (data: RecordItem['data']) =>
    Object.fromEntries(Object.entries(data).filter(([name]) => names.includes(name)))
  return showRecords(
    actor,
    open.map((it) => ({ ...it, data: only(it.data), proposed: null })),
  )
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** The name of a property, and the type of records that it leads to. */
function metaOf(id: string) {
  const field = matchedKinds.map((kind) => kinds[kind].fields[id]).find((it) => it !== undefined)
  const to = field?.relation
  return { id, name: field?.label ?? id, ...(to && matchedKinds.includes(to) && { type: typeOf(to) }) }
}

function valuesOf(it: Visible<RecordItem>, name: string, actor: Actor | null): Value[] {
  const field = kinds[it.kind].fields[name]
  const value = visibleValuesAndPoint(it, actor).data[name]
  const said = Array.isArray(value) ? value : [value]
  return field ? said.flatMap((each) => toldValue(field, each)) : []
}

function toldValue(field: Field, value: unknown): Value[] {
  if (value === undefined || value === null || value === '') return []
  if (typeof value === 'number') return [{ float: value }]
  if (typeof value === 'boolean') return [{ bool: value }]
  if (isLink(value) && field.relation) {
    const { id, name } = value
    if (typeof id === 'number') return [{ id: recordId(kinds[field.relation].code, id), name }]
    return [{ str: name }]
  }
  // A date of the specification is a whole Gregorian day. Any other date is a text.
  const text = textOf(value)
  return field.type === 'edtf_date' && /^\d{4}-\d\d-\d\d$/.test(text) ? [{ date: text }] : [{ str: text }]
}
