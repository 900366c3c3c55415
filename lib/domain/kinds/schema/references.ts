import type { Field } from './fields.ts'
import { lineReader } from './texts.ts'
import {
  absentRef,
  type FieldForm,
  isAbsent,
  isObject,
  type JsonSchema,
  type ReferenceInput,
  Refusal,
} from './value.ts'

const MAX_RECORDS = 200
const MAX_TEXT_LENGTH = 300
const MAX_IDS_LENGTH = 8000

const number = '[1-9][0-9]{0,14}'
const uuid = '[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}'
/** Text that can only mean ids, since no record is called "0" or "3, 17". It is refused unless the ids are valid. */
const looksLikeIds = new RegExp(`^(?:\\s*${uuid}|[0-9\\s,.+\\-]*$)`)

type IdPatterns = { readonly one: RegExp; readonly several: RegExp; readonly numbers: boolean }

// Kinds with integer ids also accept a UUID: it is the record's review identity.
const patterns: Readonly<Record<'integer' | 'uuid', IdPatterns>> = {
  integer: idPatterns(`(?:${number}|${uuid})`, true),
  uuid: idPatterns(uuid, false),
}

/**
 * Accepts an id, a text, `{id, name}`, a list of these, or a text with comma-separated ids. Always stored as a list.
 */
export const references: FieldForm = {
  read: (value, field) => {
    if (!Array.isArray(value)) return readSeveral(value, field)
    if (value.length > maxRecordsOf(field)) return tooManyRecords(field)
    const references: ReferenceInput[] = []
    for (const item of value) {
      if (isAbsent(item)) continue
      const reference = readOne(item, field)
      if (reference instanceof Refusal) return reference
      references.push(reference)
    }
    return references.length > 0 ? distinct(references) : undefined
  },
  schema: (field) => ({
    anyOf: [
      refTo(field),
      ...(field.multivalued
        ? [{ type: 'string', maxLength: MAX_IDS_LENGTH, pattern: patternsOf(field).several.source }]
        : []),
      { type: 'array', maxItems: maxRecordsOf(field), items: { anyOf: [refTo(field), absentRef] } },
    ],
  }),
}

function readSeveral(value: unknown, field: Field): ReferenceInput[] | Refusal {
  if (typeof value === 'string' && value.length <= MAX_IDS_LENGTH && patternsOf(field).several.test(value)) {
    const parts = value.split(',').map((part) => idOf(part.trim()))
    return field.multivalued || parts.length === 1 ? distinct(parts) : tooManyRecords(field)
  }
  const reference = readOne(value, field)
  return reference instanceof Refusal ? reference : [reference]
}

function readOne(value: unknown, field: Field): ReferenceInput | Refusal {
  if (!isObject(value)) return typeof value === 'string' ? readText(value, field) : readNumber(value, field)
  if (isAbsent(value.id)) return isAbsent(value.name) ? notAReference(field) : readName(value.name)
  const id = typeof value.id === 'string' ? readText(value.id, field) : readNumber(value.id, field)
  return id instanceof Refusal || 'id' in id ? id : notAReference(field)
}

function readText(value: string, field: Field): ReferenceInput | Refusal {
  if (value.length <= MAX_IDS_LENGTH && patternsOf(field).one.test(value)) return idOf(value.trim())
  return looksLikeIds.test(value) ? notAReference(field) : readName(value)
}

function readNumber(value: unknown, field: Field): ReferenceInput | Refusal {
  const isId = typeof value === 'number' && Number.isInteger(value) && value > 0 && value < 1e15
  return isId && patternsOf(field).numbers ? { id: value } : notAReference(field)
}

function readName(value: unknown): ReferenceInput | Refusal {
  if (typeof value !== 'string') return new Refusal('Not a valid text.')
  if (looksLikeIds.test(value)) return new Refusal('A name must be more than a number.')
  const text = lineReader.read(value, MAX_TEXT_LENGTH)
  return text instanceof Refusal ? text : { text: text.trim() }
}

/** The definitions to which `references.schema` refers. */
export const referenceDefinitions: Readonly<Record<string, JsonSchema>> = {
  reference_text: {
    allOf: [lineReader.schema(MAX_TEXT_LENGTH), { not: { type: 'string', pattern: looksLikeIds.source } }],
  },
  reference_integer: { anyOf: oneSchema(patterns.integer) },
  reference_uuid: { anyOf: oneSchema(patterns.uuid) },
}

function oneSchema({ one, numbers }: IdPatterns): JsonSchema[] {
  const id = [
    ...(numbers ? [{ type: 'integer', exclusiveMinimum: 0, exclusiveMaximum: 1e15 }] : []),
    { type: 'string', maxLength: MAX_IDS_LENGTH, pattern: one.source },
  ]
  const text = { $ref: '#/$defs/reference_text' }
  return [
    ...id,
    text,
    { type: 'object', required: ['id'], properties: { id: { anyOf: id } } },
    { type: 'object', required: ['name'], properties: { id: absentRef, name: text } },
  ]
}

const refTo = (field: Field): JsonSchema => ({ $ref: `#/$defs/reference_${field.ids ?? 'integer'}` })

function idPatterns(id: string, numbers: boolean): IdPatterns {
  const several = `^\\s*${id}(?:\\s*,\\s*${id}){0,${MAX_RECORDS - 1}}\\s*$`
  return { one: new RegExp(`^\\s*${id}\\s*$`), several: new RegExp(several), numbers }
}

const patternsOf = (field: Field) => patterns[field.ids ?? 'integer']
const maxRecordsOf = (field: Field) => (field.multivalued ? MAX_RECORDS : 1)
const idOf = (text: string): ReferenceInput => (text.includes('-') ? { id: text.toLowerCase() } : { id: Number(text) })

function distinct(list: readonly ReferenceInput[]): ReferenceInput[] {
  return [...new Map(list.map((reference) => [JSON.stringify(reference), reference])).values()]
}

const notAReference = (field: Field) =>
  new Refusal(
    field.ids === 'uuid' ? 'Give the id (a UUID) of a record, or a name.' : 'Give the id of a record, or a name.',
  )

const tooManyRecords = (field: Field) =>
  new Refusal(field.multivalued ? `Give no more than ${MAX_RECORDS} records.` : 'Give one record only.')
