import type { Field } from './fields.ts'
import type { Json, Refused, Value } from './value.ts'

/**
 * What a type of field takes on the wire, said twice side by side: `read` turns what was sent into the stored value or
 * refuses it, `schema` is the JSON Schema of exactly what `read` takes. Absent values never get here.
 */
export type Form = {
  readonly read: (value: unknown, field: Field) => Value | undefined | Refused
  readonly schema: (field: Field) => Json
}
