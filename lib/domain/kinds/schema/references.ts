import type { Field } from './fields.ts'
import type { Form } from './form.ts'
import { line } from './texts.ts'
import { absentRef, isAbsent, isObject, type Json, type Reference, Refusal } from './value.ts'

const MOST_RECORDS = 200
const textLength = 300
const idsLength = 8000

const number = '[1-9][0-9]{0,14}'
const uuid = '[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}'
/** Text that can only be ids: it must then be valid ids. Nothing is called "0" or "3, 17". */
const looksLikeIds = new RegExp(`^(?:\\s*${uuid}|[0-9\\s,.+\\-]*$)`)

type IdPatterns = { readonly one: RegExp; readonly several: RegExp; readonly numbers: boolean }

// Kinds with integer ids take a UUID too: it is the record's review identity.
const patterns: Readonly<Record<'integer' | 'uuid', IdPatterns>> = {
  integer: idPatterns(`(?:${number}|${uuid})`, true),
  uuid: idPatterns(uuid, false),
}

/** Ids, text, `{id, name}`, a list of these, or text with ids between commas. Always stored as a list. */
export const references: Form = {
  read: (value, field) => {
    if (!Array.isArray(value)) return readSeveral(value, field)
    if (value.length > mostOf(field)) return tooManyRecords(field)
    const read: Reference[] = []
    for (const item of value) {
      if (isAbsent(item)) continue
      const reference = readOne(item, field)
      if (reference instanceof Refusal) return reference
      read.push(reference)
    }
    return read.length > 0 ? distinct(read) : undefined
  },
  schema: (field) => ({
    anyOf: [
      oneOf(field),
      ...(field.multivalued
        ? [{ type: 'string', maxLength: idsLength, pattern: patternsOf(field).several.source }]
        : []),
      { type: 'array', maxItems: mostOf(field), items: { anyOf: [oneOf(field), absentRef] } },
    ],
  }),
}

function readSeveral(value: unknown, field: Field): Reference[] | Refusal {
  if (typeof value === 'string' && value.length <= idsLength && patternsOf(field).several.test(value)) {
    const parts = value.split(',').map((part) => idOf(part.trim()))
    return field.multivalued || parts.length === 1 ? distinct(parts) : tooManyRecords(field)
  }
  const reference = readOne(value, field)
  return reference instanceof Refusal ? reference : [reference]
}

function readOne(value: unknown, field: Field): Reference | Refusal {
  if (!isObject(value)) return typeof value === 'string' ? readText(value, field) : readNumber(value, field)
  if (isAbsent(value.id)) return isAbsent(value.name) ? notAReference(field) : readName(value.name)
  const id = typeof value.id === 'string' ? readText(value.id, field) : readNumber(value.id, field)
  return id instanceof Refusal || 'id' in id ? id : notAReference(field)
}

function readText(value: string, field: Field): Reference | Refusal {
  if (value.length <= idsLength && patternsOf(field).one.test(value)) return idOf(value.trim())
  return looksLikeIds.test(value) ? notAReference(field) : readName(value)
}

function readNumber(value: unknown, field: Field): Reference | Refusal {
  const good = typeof value === 'number' && Number.isInteger(value) && value > 0 && value < 1e15
  return good && patternsOf(field).numbers ? { id: value } : notAReference(field)
}

function readName(value: unknown): Reference | Refusal {
  if (typeof value !== 'string') return new Refusal('Not a valid text.')
  if (looksLikeIds.test(value)) return new Refusal('A name must be more than a number.')
  const text = line.read(value, textLength)
  return text instanceof Refusal ? text : { text: text.trim() }
}

/** The definitions to which `references.schema` refers. */
export const referenceDefinitions: Readonly<Record<string, Json>> = {
  reference_text: { allOf: [line.schema(textLength), { not: { type: 'string', pattern: looksLikeIds.source } }] },
  reference_integer: { anyOf: oneSchema(patterns.integer) },
  reference_uuid: { anyOf: oneSchema(patterns.uuid) },
}

function oneSchema({ one, numbers }: IdPatterns): Json[] {
  const id = [
    ...(numbers ? [{ type: 'integer', exclusiveMinimum: 0, exclusiveMaximum: 1e15 }] : []),
    { type: 'string', maxLength: idsLength, pattern: one.source },
  ]
  const text = { $ref: '#/$defs/reference_text' }
  return [
    ...id,
    text,
    { type: 'object', required: ['id'], properties: { id: { anyOf: id } } },
    { type: 'object', required: ['name'], properties: { id: absentRef, name: text } },
  ]
}

const oneOf = (field: Field): Json => ({ $ref: `#/$defs/reference_${field.ids ?? 'integer'}` })

function idPatterns(id: string, numbers: boolean): IdPatterns {
  const several = `^\\s*${id}(?:\\s*,\\s*${id}){0,${MOST_RECORDS - 1}}\\s*$`
  return { one: new RegExp(`^\\s*${id}\\s*$`), several: new RegExp(several), numbers }
}

const patternsOf = (field: Field) => patterns[field.ids ?? 'integer']
const mostOf = (field: Field) => (field.multivalued ? MOST_RECORDS : 1)
const idOf = (text: string): Reference => (text.includes('-') ? { id: text.toLowerCase() } : { id: Number(text) })

function distinct(list: readonly Reference[]): Reference[] {
  return [...new Map(list.map((reference) => [JSON.stringify(reference), reference])).values()]
}

const notAReference = (field: Field) =>
  new Refusal(
    field.ids === 'uuid' ? 'Give the id (a UUID) of a record, or a name.' : 'Give the id of a record, or a name.',
  )

const tooManyRecords = (field: Field) =>
  new Refusal(field.multivalued ? `Give no more than ${MOST_RECORDS} records.` : 'Give one record only.')
