/** What a relation was given: the id of a record, or text by which one is found or made. */
export type Reference = { id: number } | { id: string } | { text: string }

/** A stored value of a field. */
export type Value = string | number | boolean | string[] | Reference[] | Picture[]

/**
 * A picture of a record: the id of its file and what is said of it. Stored ones have the size of the upright image in
 * pixels and its media type beside that.
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

/** The values of a contribution by canonical member name; what is absent is not there. */
export type Data = Record<string, Value>

export type Json = { readonly [member: string]: unknown }

/** Why a value is not taken: one sentence that never repeats what was sent. */
export class Refused {
  readonly message: string
  constructor(message: string) {
    this.message = message
  }
}

/** True for what forms send where nothing was filled in: null, blank text, a list of nothing else. */
export function isAbsent(value: unknown): boolean {
  return isBlank(value) || (Array.isArray(value) && value.every(isBlank))
}

const isBlank = (value: unknown) =>
  typeof value === 'string' ? !/\S/.test(value) : value === null || value === undefined

/** The JSON Schema of what `isAbsent` calls absent, as a definition and as a reference to it. */
export const absence: Json = { anyOf: [{ $ref: '#/$defs/blank' }, { type: 'array', items: { $ref: '#/$defs/blank' } }] }
export const blank: Json = { anyOf: [{ type: 'null' }, { type: 'string', pattern: '^\\s*$' }] }
export const absent: Json = { $ref: '#/$defs/absent' }

/** True for a JSON object. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
