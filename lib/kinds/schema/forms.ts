import { optionOf, optionsOf, spellingsOf, type Vocabulary } from './enums.ts'
import type { Field, FieldType } from './fields.ts'
import type { Form } from './form.ts'
import { pictures } from './pictures.ts'
import { points } from './points.ts'
import { references } from './references.ts'
import { line, lines, list, whole } from './texts.ts'
import { Refused } from './value.ts'

const texts: Form = {
  read: (value, field) => {
    if (field.multivalued && Array.isArray(value)) return joined(list(value))
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
    const items = Array.isArray(value) ? list(value) : split(line.read(value, field.maxLength))
    return items instanceof Refused || items.length > 0 ? items : undefined
  },
  schema: (field) => ({ anyOf: [line.schema(field.maxLength), list.schema] }),
}

const options: Form = {
  read: (value, field) => {
    const option = typeof value === 'string' ? optionOf(vocabularyOf(field), value) : undefined
    return option ?? new Refused(`Not a valid choice. Choose one of: ${values(field)}.`)
  },
  schema: (field) => ({ enum: spellingsOf(vocabularyOf(field)) }),
}

const numbers: Form = {
  read: (value, field) => {
    const given = typeof value === 'string' && /^[+-]?[0-9.]+$/.test(value) ? Number(value) : value
    if (typeof given !== 'number' || !Number.isFinite(given)) return new Refused('Not a valid number.')
    const { minimum = 0, maximum = 0 } = field
    if (given < minimum || given > maximum) {
      return new Refused(`${field.label} must be between ${minimum} and ${maximum}.`)
    }
    if (field.type === 'number' && !Number.isInteger(given)) return new Refused('Give a whole number.')
    if (typeof value === 'string' && !written(field).test(value)) return new Refused('Not a valid number.')
    return given + 0 // -0 is 0
  },
  schema: (field) => ({
    anyOf: [
      { type: field.type === 'number' ? 'integer' : 'number', minimum: field.minimum, maximum: field.maximum },
      { type: 'string', pattern: written(field).source },
    ],
  }),
}

const flags: Form = {
  read: (value) => {
    if (value === true || value === 'true') return true
    if (value === false || value === 'false') return false
    return new Refused('Give true or false.')
  },
  schema: () => ({ enum: [true, false, 'true', 'false'] }),
}

const address = /^[hH][tT][tT][pP][sS]?:\/\/[^\s/?#]\S*$/

const urls: Form = {
  read: (value, field) => {
    const text = line.read(value, field.maxLength)
    if (text instanceof Refused) return text
    return address.test(text) ? text : new Refused('Enter a web address that starts with http:// or https://.')
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

function joined(items: string[] | Refused): string | undefined | Refused {
  if (items instanceof Refused) return items
  return items.length > 0 ? items.join(', ') : undefined
}

/** Multipart forms send a list as JSON text, the other forms as text with commas. */
function split(text: string | Refused): string[] | Refused {
  if (text instanceof Refused) return text
  return (fromJson(text) ?? text.split(',')).map((item) => item.trim()).filter((item) => item !== '')
}

function fromJson(text: string): string[] | undefined {
  if (!text.trimStart().startsWith('[')) return undefined
  try {
    const items: unknown = JSON.parse(text)
    const read = Array.isArray(items) ? list(items) : undefined
    return read instanceof Refused ? undefined : read
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

const written = (field: Field) => new RegExp(`^${field.written}$`)
