import { type KindKey, kinds } from '../../../lib/domain/kinds/index.ts'
import { fold } from '../../../lib/engines/matching/index.ts'
import {
  type Aside,
  cellTextOf,
  type Draft,
  type Fault,
  idsMeant,
  isRowId,
  joinLines,
  noteOfAside,
  type Reference,
} from './draft.ts'
import { spellingOf } from './mappings.ts'

/** The record of a row's id. */
export type Found = { kind: KindKey; id: number | string; name: string }
/** Looks up a row's id: in the rows of this run, else in the records of these kinds. */
export type Find = (ids: readonly string[], among: readonly KindKey[]) => Promise<Found | undefined>

export type Ready = {
  body: Record<string, unknown>
  asides: Aside[]
  /** Names by which the service finds or makes records. Rows with names are sent one at a time, or one thing might be made twice. */
  names: string[]
}

/** The body of a row, with references looked up, and with values that fit nowhere in its note. Faults if an end of a relationship is missing. */
export async function readyOf(draft: Draft, find: Find): Promise<Ready | Fault[]> {
  const ends = await endsOf(draft, find)
  if (Array.isArray(ends)) return ends
  const body: Record<string, unknown> = { ...draft.values, ...ends }
  const asides = [...draft.asides]
  const names: string[] = []
  const remarks: string[] = []
  for (const reference of draft.references) {
    const items: (number | string)[] = []
    for (const token of reference.given) {
      const item = await itemOf(token, reference, draft, find)
      if (item.value !== undefined) items.push(item.value)
      if (item.reason) asides.push({ member: reference.member, value: token, reason: item.reason })
      if (item.remark) remarks.push(item.remark)
      if (reference.to && typeof item.value === 'string' && !isUuid(item.value))
        names.push(`${reference.to} ${fold(item.value)}`)
    }
    if (items.length > 0) body[reference.as] = reference.given.length > 1 ? items : items[0]
  }
  return { body: addToNote(draft, body, asides, remarks), asides, names }
}

/** Moves a value that the service refuses into the note. */
export function without(ready: Ready, field: string, draft: Draft, reason: string): Ready {
  const { [field]: value, ...rest } = ready.body
  const aside: Aside = { member: draft.origins.get(field) ?? field, value: cellTextOf(value), reason }
  return { ...ready, body: addToNote(draft, rest, [aside], []), asides: [...ready.asides, aside] }
}

type Item = { value?: number | string; reason?: string; remark?: string }

async function itemOf(token: string, { member, to }: Reference, { row }: Draft, find: Find): Promise<Item> {
  if (!isRowId(token)) return { value: token }
  const found = await find(idsMeant(token, row), to ? [to] : actors)
  if (!to) return found ? { value: found.name, remark: `${member}: ${token}` } : { value: token }
  if (!found) return { reason: 'It names nothing that is here.' }
  if (found.kind !== to)
    return { reason: `It names a ${kinds[found.kind].label}, where a ${kinds[to].label} is meant.` }
  return { value: found.id }
}

/** Kinds of actors. Fields for actors hold names, since not every actor has a record. */
const actors: readonly KindKey[] = ['caste_group', 'person', 'guthi']

async function endsOf({ row, ends }: Draft, find: Find): Promise<Record<string, unknown> | Fault[]> {
  if (!ends) return {}
  const [subject, object] = await Promise.all([
    find([ends.subject], kindsOf(row.subject_kind)),
    find([ends.object], kindsOf(row.object_kind)),
  ])
  if (subject && object) {
    return {
      entity_type: subject.kind,
      entity_id: subject.id,
      object_entity_type: object.kind,
      object_entity_id: object.id,
    }
  }
  return [
    ...(subject ? [] : [missingRecordFault('subject_id', ends.subject, row.subject_name)]),
    ...(object ? [] : [missingRecordFault('object_id', ends.object, row.object_name)]),
  ]
}

const kindsOf = (rowKind: unknown): KindKey[] => {
  const mapping = typeof rowKind === 'string' ? spellingOf(rowKind) : undefined
  return mapping ? [mapping.kind] : []
}

const missingRecordFault = (member: string, id: string, name: unknown): Fault => ({
  member,
  reason: `There is no record for ${[id, cellTextOf(name) && `"${cellTextOf(name)}"`].filter(Boolean).join(', ')}${id ? '' : ', of which the row gives no id'}.`,
})

/** Adds asides and remarks to the note, or to the provenance if the kind has no note. */
function addToNote(
  { kind, assertion }: Draft,
  body: Record<string, unknown>,
  asides: readonly Aside[],
  remarks: readonly string[],
): Record<string, unknown> {
  const published = asides.filter((it) => !it.private).map(noteOfAside)
  const block = isBlock(body.assertion) ? body.assertion : assertion
  const beside = kind.fields.note ? remarks : [...remarks, ...published]
  const note = kind.fields.note ? joinLines([cellTextOf(body.note), ...published]) : ''
  const quality = joinLines([block.data_quality_note ?? '', ...beside])
  const said = { ...block, ...(quality && { data_quality_note: quality }) }
  return { ...body, ...(note && { note }), ...(Object.keys(said).length > 0 && { assertion: said }) }
}

const isBlock = (value: unknown): value is Record<string, string> => typeof value === 'object' && value !== null
const isUuid = (text: string) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)
