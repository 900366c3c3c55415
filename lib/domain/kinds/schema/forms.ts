import { optionOf, optionsOf, spellingsOf, type Vocabulary } from './enums.ts'
import type { Field, FieldType } from './fields.ts'
import type { Form } from './form.ts'
import { pictures } from './pictures.ts'
import { points } from './points.ts'
import { references } from './references.ts'
import { line, lines, list, whole } from './texts.ts'
import { Refusal } from './value.ts'

const texts: Form = {
  read: (value, field) => {
    if (field.multivalued && Array.isArray(value)) return joinList(list(value))
    if (field.numeric && whole.takes(value)) return String(value)
    return line.read(value, field.maxLength)
  },
  schema: (field) => ({
    anyOf: [
      line.schema(field.maxLength),
      ...(field.multivalued ? [list.schema] : []),
      ...(field.numeric ? [whole.schema] : []),
    ],
  }),
}

const prose: Form = {
  read: (value, field) => (field.numeric && whole.takes(value) ? String(value) : lines.read(value, field.maxLength)),
  schema: (field) => ({ anyOf: [lines.schema(field.maxLength), ...(field.numeric ? [whole.schema] : [])] }),
}

const labels: Form = {
  read: (value, field) => {
    const items = Array.isArray(value) ? list(value) : splitList(line.read(value, field.maxLength))
    return items instanceof Refusal || items.length > 0 ? items : undefined
  },
  schema: (field) => ({ anyOf: [line.schema(field.maxLength), list.schema] }),
}

const options: Form = {
  read: (value, field) => {
    const option = typeof value === 'string' ? optionOf(vocabularyOf(field), value) : undefined
    return option ?? new Refusal(`Not a valid choice. Choose one of: ${values(field)}.`)
  },
  schema: (field) => ({ enum: spellingsOf(vocabularyOf(field)) }),
}

const numbers: Form = {
  read: (value, field) => {
    const number = typeof value === 'string' && /^[+-]?[0-9.]+$/.test(value) ? Number(value) : value
    if (typeof number !== 'number' || !Number.isFinite(number)) return new Refusal('Not a valid number.')
    const { minimum = 0, maximum = 0 } = field
    if (number < minimum || number > maximum) {
      return new Refusal(`${field.label} must be between ${minimum} and ${maximum}.`)
    }
    if (field.type === 'number' && !Number.isInteger(number)) return new Refusal('Give a whole number.')
    if (typeof value === 'string' && !textPatternOf(field).test(value)) return new Refusal('Not a valid number.')
    return number + 0 // makes -0 a 0
  },
  schema: (field) => ({
    anyOf: [
      { type: field.type === 'number' ? 'integer' : 'number', minimum: field.minimum, maximum: field.maximum },
      { type: 'string', pattern: textPatternOf(field).source },
    ],
  }),
}

const flags: Form = {
  read: (value) => {
    if (value === true || value === 'true') return true
    if (value === false || value === 'false') return false
    return new Refusal('Give true or false.')
  },
  schema: () => ({ enum: [true, false, 'true', 'false'] }),
}

const address = /^[hH][tT][tT][pP][sS]?:\/\/[^\s/?#]\S*$/

const urls: Form = {
  read: (value, field) => {
    const text = line.read(value, field.maxLength)
    if (text instanceof Refusal) return text
    return address.test(text) ? text : new Refusal('Enter a web address that starts with http:// or https://.')
  },
  schema: (field) => ({ allOf: [line.schema(field.maxLength), { pattern: address.source }] }),
}

/** The form of each type of field. */
export const forms: Readonly<Record<FieldType, Form>> = {
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

/** Multipart forms send a list as JSON text, the other forms as text with commas. */
function splitList(text: string | Refusal): string[] | Refusal {
  if (text instanceof Refusal) return text
  return (parseJsonList(text) ?? text.split(',')).map((item) => item.trim()).filter((item) => item !== '')
}

function parseJsonList(text: string): string[] | undefined {
  if (!text.trimStart().startsWith('[')) return undefined
  try {
    const items: unknown = JSON.parse(text)
    const read = Array.isArray(items) ? list(items) : undefined
    return read instanceof Refusal ? undefined : read
  } catch {
    return undefined
  }
}

function vocabularyOf(field: Field): Vocabulary {
  if (!field.vocabulary) throw new Error(`${field.label} has no vocabulary`)
  return field.vocabulary
}

const values = (field: Field) =>
  optionsOf(vocabularyOf(field))
    .map((option) => option.value)
    .join(', ')

const textPatternOf = (field: Field) => new RegExp(`^${field.textPattern}$`)
