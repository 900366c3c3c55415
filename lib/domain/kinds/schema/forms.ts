import { optionOf, optionsOf, spellingsOf, type Vocabulary } from './enums.ts'
import type { Field, FieldType } from './fields.ts'
import { pictures } from './pictures.ts'
import { points } from './points.ts'
import { references } from './references.ts'
import { lineReader, linesReader, listReader, wholeNumber } from './texts.ts'
import { type FieldForm, Refusal } from './value.ts'

const texts: FieldForm = {
  read: (value, field) => {
    if (field.multivalued && Array.isArray(value)) return joinList(listReader.read(value))
    if (field.numeric && wholeNumber.accepts(value)) return String(value)
    return lineReader.read(value, field.maxLength)
  },
  schema: (field) => ({
    anyOf: [
      lineReader.schema(field.maxLength),
      ...(field.multivalued ? [listReader.schema] : []),
      ...(field.numeric ? [wholeNumber.schema] : []),
    ],
  }),
}

const prose: FieldForm = {
  read: (value, field) =>
    field.numeric && wholeNumber.accepts(value) ? String(value) : linesReader.read(value, field.maxLength),
  schema: (field) => ({ anyOf: [linesReader.schema(field.maxLength), ...(field.numeric ? [wholeNumber.schema] : [])] }),
}

const labels: FieldForm = {
  read: (value, field) => {
    const items = Array.isArray(value) ? listReader.read(value) : splitList(lineReader.read(value, field.maxLength))
    return items instanceof Refusal || items.length > 0 ? items : undefined
  },
  schema: (field) => ({ anyOf: [lineReader.schema(field.maxLength), listReader.schema] }),
}

const options: FieldForm = {
  read: (value, field) => {
    const option = typeof value === 'string' ? optionOf(vocabularyOf(field), value) : undefined
    return option ?? new Refusal(`Not a valid choice. Choose one of: ${listValues(field)}.`)
  },
  schema: (field) => ({ enum: spellingsOf(vocabularyOf(field)) }),
}

const numbers: FieldForm = {
  read: (value, field) => {
    const number = typeof value === 'string' && /^[+-]?[0-9.]+$/.test(value) ? Number(value) : value
    if (typeof number !== 'number' || !Number.isFinite(number)) return new Refusal('Not a valid number.')
    const { minimum = 0, maximum = 0 } = field
    if (number < minimum || number > maximum) {
      return new Refusal(`${field.label} must be between ${minimum} and ${maximum}.`)
    }
    if (field.type === 'number' && !Number.isInteger(number)) return new Refusal('Give a whole number.')
    if (typeof value === 'string' && !textPatternOf(field).test(value)) return new Refusal('Not a valid number.')
    return number + 0 // turns -0 into 0
  },
  schema: (field) => ({
    anyOf: [
      { type: field.type === 'number' ? 'integer' : 'number', minimum: field.minimum, maximum: field.maximum },
      { type: 'string', pattern: textPatternOf(field).source },
    ],
  }),
}

const flags: FieldForm = {
  read: (value) => {
    if (value === true || value === 'true') return true
    if (value === false || value === 'false') return false
    return new Refusal('Give true or false.')
  },
  schema: () => ({ enum: [true, false, 'true', 'false'] }),
}

const address = /^[hH][tT][tT][pP][sS]?:\/\/[^\s/?#]\S*$/

const urls: FieldForm = {
  read: (value, field) => {
    const text = lineReader.read(value, field.maxLength)
    if (text instanceof Refusal) return text
    return address.test(text) ? text : new Refusal('Enter a web address that starts with http:// or https://.')
  },
  schema: (field) => ({ allOf: [lineReader.schema(field.maxLength), { pattern: address.source }] }),
}

export const forms: Readonly<Record<FieldType, FieldForm>> = {
  text: texts,
  textarea: prose,
  select: options,
  number: numbers,
  float: numbers,
  boolean: flags,
  date: texts,
  edtf_date: texts,
  url: urls,
  coordinates: points,
  relation: references,
  labels,
  media: pictures,
}

function joinList(items: string[] | Refusal): string | undefined | Refusal {
  if (items instanceof Refusal) return items
  return items.length > 0 ? items.join(', ') : undefined
}

/** Multipart forms send a list as JSON text, other forms as text with commas. */
function splitList(text: string | Refusal): string[] | Refusal {
  if (text instanceof Refusal) return text
  return (parseJsonList(text) ?? text.split(',')).map((item) => item.trim()).filter((item) => item !== '')
}

function parseJsonList(text: string): string[] | undefined {
  if (!text.trimStart().startsWith('[')) return undefined
  try {
    const items: unknown = JSON.parse(text)
    const texts = Array.isArray(items) ? listReader.read(items) : undefined
    return texts instanceof Refusal ? undefined : texts
  } catch {
    return undefined
  }
}

function vocabularyOf(field: Field): Vocabulary {
  if (!field.vocabulary) throw new Error(`${field.label} has no vocabulary`)
  return field.vocabulary
}

const listValues = (field: Field) =>
  optionsOf(vocabularyOf(field))
    .map((option) => option.value)
    .join(', ')

const textPatternOf = (field: Field) => new RegExp(`^${field.textPattern}$`)
