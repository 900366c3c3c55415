import type { KindKey } from '../keys.ts'
import type { Vocabulary } from './enums.ts'
import { boolean, edtfDate, type Field, number, relation, relations, select, text, url } from './fields.ts'
import type { Kind } from './kind.ts'

/*
 * What the community has added to the kinds since the release: values of open lists, and optional fields. The declarations themselves are
 * changed, so all code that reads them sees the additions. Values computed from them are dropped first (`whenKindsChange`).
 */

export const addedTypes = ['text', 'number', 'edtf_date', 'url', 'boolean', 'relation', 'select'] as const
export type AddedField = {
  kind: KindKey
  name: string
  type: (typeof addedTypes)[number]
  label: string
  description: string
  multivalued: boolean
  relation: KindKey | null
  vocabulary: string | null
}
export type AddedValue = { vocabulary: string; value: string; description: string }
export type Overlay = { fields: readonly AddedField[]; values: readonly AddedValue[] }
export const noOverlay: Overlay = { fields: [], values: [] }

type Kinds = Readonly<Record<KindKey, Kind>>

const droppers: (() => void)[] = []
/** Registers a function that drops values computed from kinds. It is called before kinds change. */
export const whenKindsChange = (drop: () => void): void => void droppers.push(drop)

/** What this process has added to the kinds. Like the kinds, it is kept until the process ends. */
let applied: Overlay = noOverlay
export const appliedOverlay = (): Overlay => applied

/** Removes the earlier additions from the kinds, and adds `next`. What a release has declared meanwhile stays as declared. */
export function applyOverlay(kinds: Kinds, next: Overlay): void {
  for (const drop of droppers) drop()
  const lists = vocabulariesOf(kinds)
  for (const { kind, name } of applied.fields) delete fieldsOf(kinds[kind])[name]
  for (const { vocabulary, value } of applied.values) delete valuesOf(lists.get(vocabulary))[value]
  const values = next.values.filter(({ vocabulary, value }) => !(value in valuesOf(lists.get(vocabulary))))
  for (const { vocabulary, value, description } of values) valuesOf(lists.get(vocabulary))[value] = description
  const fields = next.fields.filter(({ kind, name }) => !(name in kinds[kind].fields))
  for (const it of fields) fieldsOf(kinds[it.kind])[it.name] = fieldOf(it, lists)
  applied = { fields, values }
}

/** The controlled lists of all kinds, by name. */
export const vocabulariesOf = (kinds: Kinds): Map<string, Vocabulary> =>
  new Map(
    Object.values(kinds)
      .flatMap(({ fields }) => Object.values(fields))
      .flatMap(({ vocabulary }) => (vocabulary ? [[vocabulary.name, vocabulary] as const] : [])),
  )

// Declarations are plain objects. Only the overlay writes into them.
const fieldsOf = (kind: Kind): Record<string, Field> => kind.fields
const valuesOf = (vocabulary: Vocabulary | undefined): Record<string, string> => vocabulary?.values ?? {}

function fieldOf(it: AddedField, lists: ReadonlyMap<string, Vocabulary>): Field {
  const { type, label, description, multivalued } = it
  const list = it.vocabulary === null ? undefined : lists.get(it.vocabulary)
  if (type === 'relation' && it.relation !== null)
    return (multivalued ? relations : relation)(it.relation, it.relation, label, description)
  if (type === 'select' && list) return select(label, description, list)
  return simple[type](label, description, multivalued)
}

type Simple = (label: string, description: string, multivalued: boolean) => Field
const ofText: Simple = (label, description, multivalued) => text(label, description, { multivalued })
const simple: Readonly<Record<AddedField['type'], Simple>> = {
  text: ofText,
  number: (label, description) => number(label, description, 12),
  edtf_date: (label, description) => edtfDate(label, description),
  url: (label, description) => url(label, description),
  boolean: (label, description) => boolean(label, description),
  // Only for an addition whose kind or list is gone: its values are shown as text.
  relation: ofText,
  select: ofText,
}
