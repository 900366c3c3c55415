import type { Field } from './fields.ts'
import type { Json, Refusal, Value } from './value.ts'

/**
 * What a type of field takes on the wire. `read` turns the input into the stored value, or refuses it. `schema` is the JSON
 * Schema of exactly what `read` takes. Absent values (`isAbsent`) never get here.
 */
export type Form = {
  readonly read: (value: unknown, field: Field) => Value | undefined | Refusal
  readonly schema: (field: Field) => Json
}
