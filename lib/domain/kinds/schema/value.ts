/** The input of a relation: the id of a record, or text by which one is found or made. */
export type Reference = { id: number } | { id: string } | { text: string }

/** The value of a field after its form read it. */
export type Value = string | number | boolean | string[] | Reference[] | Picture[]

/**
 * A picture of a record: the id of its file, its texts, and whether it is the face. A stored one also has the size of the
 * upright image in pixels, and its media type.
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
export type InputValues = Record<string, Value>

export type Json = { readonly [member: string]: unknown }

/** Why a value is refused: one sentence that never repeats what was sent. */
export class Refusal {
  readonly message: string
  constructor(message: string) {
    this.message = message
  }
}

/** True for what forms send for an empty field: null, blank text, or a list of these. */
export function isAbsent(value: unknown): boolean {
  return isBlank(value) || (Array.isArray(value) && value.every(isBlank))
}

const isBlank = (value: unknown) =>
  typeof value === 'string' ? !/\S/.test(value) : value === null || value === undefined

/** The JSON Schema of what `isAbsent` calls absent: its definitions, and a reference to them. */
export const absentSchema: Json = {
  anyOf: [{ $ref: '#/$defs/blank' }, { type: 'array', items: { $ref: '#/$defs/blank' } }],
}
export const blankSchema: Json = { anyOf: [{ type: 'null' }, { type: 'string', pattern: '^\\s*$' }] }
export const absentRef: Json = { $ref: '#/$defs/absent' }

/** True for a JSON object. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
