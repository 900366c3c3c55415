import type { Field } from './fields.ts'
import type { Form } from './form.ts'
import { line } from './texts.ts'
import { absent, isAbsent, isObject, type Json, type Reference, Refused } from './value.ts'

const most = 200
const textLength = 300
const idsLength = 8000

const number = '[1-9][0-9]{0,14}'
const uuid = '[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}'
/** Text that can only be meant as ids: it must be good ids, for nothing is called "0" or "3, 17". */
const meantAsIds = new RegExp(`^(?:\\s*${uuid}|[0-9\\s,.+\\-]*$)`)

type Ids = { readonly one: RegExp; readonly several: RegExp; readonly numbers: boolean }

// A UUID is good for kinds with integer ids too: there it is the record's review identity.
const patterns: Readonly<Record<'integer' | 'uuid', Ids>> = {
  integer: idsOf(`(?:${number}|${uuid})`, true),
  uuid: idsOf(uuid, false),
}

/** Ids, text, {id, name}, a list of these, or text with ids between commas; always kept as a list. */
export const references: Form = {
  read: (value, field) => {
    if (!Array.isArray(value)) return several(value, field)
    if (value.length > limit(field)) return tooMany(field)
    const read: Reference[] = []
    for (const item of value) {
      if (isAbsent(item)) continue
      const reference = one(item, field)
      if (reference instanceof Refused) return reference
      read.push(reference)
    }
    return read.length > 0 ? distinct(read) : undefined
  },
  schema: (field) => ({
    anyOf: [
      oneOf(field),
      ...(field.multivalued ? [{ type: 'string', maxLength: idsLength, pattern: ids(field).several.source }] : []),
      { type: 'array', maxItems: limit(field), items: { anyOf: [oneOf(field), absent] } },
    ],
  }),
}

function several(value: unknown, field: Field): Reference[] | Refused {
  if (typeof value === 'string' && value.length <= idsLength && ids(field).several.test(value)) {
    const parts = value.split(',').map((part) => idOf(part.trim()))
    return field.multivalued || parts.length === 1 ? distinct(parts) : tooMany(field)
  }
  const reference = one(value, field)
  return reference instanceof Refused ? reference : [reference]
}

function one(value: unknown, field: Field): Reference | Refused {
  if (!isObject(value)) return typeof value === 'string' ? fromText(value, field) : fromNumber(value, field)
  if (isAbsent(value.id)) return isAbsent(value.name) ? misread(field) : named(value.name)
  const id = typeof value.id === 'string' ? fromText(value.id, field) : fromNumber(value.id, field)
  return id instanceof Refused || 'id' in id ? id : misread(field)
}

function fromText(value: string, field: Field): Reference | Refused {
  if (value.length <= idsLength && ids(field).one.test(value)) return idOf(value.trim())
  return meantAsIds.test(value) ? misread(field) : named(value)
}

function fromNumber(value: unknown, field: Field): Reference | Refused {
  const good = typeof value === 'number' && Number.isInteger(value) && value > 0 && value < 1e15
  return good && ids(field).numbers ? { id: value } : misread(field)
}

function named(value: unknown): Reference | Refused {
  if (typeof value !== 'string') return new Refused('Not a valid text.')
  if (meantAsIds.test(value)) return new Refused('A name must be more than a number.')
  const text = line.read(value, textLength)
  return text instanceof Refused ? text : { text: text.trim() }
}

/** The definitions to which `references.schema` refers. */
export const referenceDefinitions: Readonly<Record<string, Json>> = {
  reference_text: { allOf: [line.schema(textLength), { not: { type: 'string', pattern: meantAsIds.source } }] },
  reference_integer: { anyOf: oneSchema(patterns.integer) },
  reference_uuid: { anyOf: oneSchema(patterns.uuid) },
}

function oneSchema({ one, numbers }: Ids): Json[] {
  const id = [
    ...(numbers ? [{ type: 'integer', exclusiveMinimum: 0, exclusiveMaximum: 1e15 }] : []),
    { type: 'string', maxLength: idsLength, pattern: one.source },
  ]
  const text = { $ref: '#/$defs/reference_text' }
  return [
    ...id,
    text,
    { type: 'object', required: ['id'], properties: { id: { anyOf: id } } },
    { type: 'object', required: ['name'], properties: { id: absent, name: text } },
  ]
}

const oneOf = (field: Field): Json => ({ $ref: `#/$defs/reference_${field.ids ?? 'integer'}` })

function idsOf(id: string, numbers: boolean): Ids {
  const several = `^\\s*${id}(?:\\s*,\\s*${id}){0,${most - 1}}\\s*$`
  return { one: new RegExp(`^\\s*${id}\\s*$`), several: new RegExp(several), numbers }
}

const ids = (field: Field) => patterns[field.ids ?? 'integer']
const limit = (field: Field) => (field.multivalued ? most : 1)
const idOf = (text: string): Reference => (text.includes('-') ? { id: text.toLowerCase() } : { id: Number(text) })

function distinct(list: readonly Reference[]): Reference[] {
  return [...new Map(list.map((reference) => [JSON.stringify(reference), reference])).values()]
}

const misread = (field: Field) =>
  new Refused(
    field.ids === 'uuid' ? 'Give the id (a UUID) of a record, or a name.' : 'Give the id of a record, or a name.',
  )

const tooMany = (field: Field) =>
  new Refused(field.multivalued ? `Give no more than ${most} records.` : 'Give one record only.')
