import { recordId } from '../ids/address.ts'
import { type Field, kinds } from '../kinds/index.ts'
import { isLink, textOf } from '../names/text.ts'
import { type Actor, maySee } from '../permissions.ts'
import { type RecordItem, recordItem } from '../records/items.ts'
import { type Shown, shownTo } from '../records/shown.ts'
import { guarded } from '../records/views/record.ts'
import { key } from '../table/keys.ts'
import { getMany, itemIn } from '../table/read.ts'
import { matchedKinds, typeOf } from './manifest.ts'
import type { Extension } from './queries.ts'

/** A value as data extension tells it. */
type Value = { str: string } | { float: number } | { bool: boolean } | { date: string } | { id: string; name: string }

/**
 * What records say of properties, for whoever asks: of what they may not see, and of what says nothing, nothing. One call for
 * each hundred records, and for each hundred that they name.
 */
export async function extended({ ids, properties }: Extension, actor: Actor | null) {
  const wanted = [...new Set(ids)].filter((id) => UUID.test(id))
  const found = await getMany(wanted.map(key.head))
  const heads = wanted.flatMap((id) => itemIn(found, recordItem, { entity_id: id }) ?? [])
  const open = heads.filter((it) => it.public && !it.deleted_at && maySee(actor, it))
  const shown = new Map((await shownTo(actor, open)).map((it) => [it.entity_id, it]))
  const row = (id: string) => {
    const it = shown.get(id)
    return Object.fromEntries(properties.map((one) => [one.id, it ? valuesOf(it, one.id, actor) : []]))
  }
  return {
    meta: properties.map(({ id }) => metaOf(id)),
    rows: Object.fromEntries([...new Set(ids)].map((id) => [id, row(id)])),
  }
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** What a property is called, and which records it leads to. */
function metaOf(id: string) {
  const field = matchedKinds.map((kind) => kinds[kind].fields[id]).find((it) => it !== undefined)
  const to = field?.relation
  return { id, name: field?.label ?? id, ...(to && matchedKinds.includes(to) && { type: typeOf(to) }) }
}

function valuesOf(it: Shown<RecordItem>, name: string, actor: Actor | null): Value[] {
  const field = kinds[it.kind].fields[name]
  const value = guarded(it, actor).data[name]
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
  // The specification's dates are whole ones of the Gregorian calendar; what says more or less is told in its words.
  const text = textOf(value)
  return field.type === 'edtf_date' && /^\d{4}-\d\d-\d\d$/.test(text) ? [{ date: text }] : [{ str: text }]
}
