import type { Field } from './fields.ts'

/** The input of a relation: the id of a record, or the name of a record that is found or made. */
export type ReferenceInput = { id: number } | { id: string } | { text: string }

/** The value of a field after its form has read it. */
export type InputValue = string | number | boolean | string[] | ReferenceInput[] | Picture[]

/**
 * A picture of a record: the id of its file, its texts, and whether it is the face. A stored picture also has the size of
 * the upright image in pixels, and its media type.
 */
export type Picture = {
  id: string
  caption?: string
  creator?: string
  licence?: string
  date?: string
  face?: true
  width?: number
  height?: number
  media_type?: string
}

/** The values of a contribution by the name of their field. Absent values have no member. */
export type InputValues = Record<string, InputValue>

export type JsonSchema = { readonly [keyword: string]: unknown }

/**
 * The input that a type of field accepts on the wire. `read` turns it into the stored value, or refuses it. `schema` is the
 * JSON Schema of exactly the values that `read` accepts. Absent values (`isAbsent`) never get here.
 */
export type FieldForm = {
  readonly read: (value: unknown, field: Field) => InputValue | undefined | Refusal
  readonly schema: (field: Field) => JsonSchema
}

/** The reason why a value is refused, in one sentence. It never repeats the value. */
export class Refusal {
  readonly message: string
  constructor(message: string) {
    this.message = message
  }
}

/** Whether forms send this value for an empty field: null, blank text, or a list of them. */
export function isAbsent(value: unknown): boolean {
  return isBlank(value) || (Array.isArray(value) && value.every(isBlank))
}

const isBlank = (value: unknown) =>
  typeof value === 'string' ? !/\S/.test(value) : value === null || value === undefined

/** The JSON Schema of the values for which `isAbsent` is true. */
export const absentSchema: JsonSchema = {
  anyOf: [{ $ref: '#/$defs/blank' }, { type: 'array', items: { $ref: '#/$defs/blank' } }],
}
export const blankSchema: JsonSchema = { anyOf: [{ type: 'null' }, { type: 'string', pattern: '^\\s*$' }] }
export const absentRef: JsonSchema = { $ref: '#/$defs/absent' }

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
