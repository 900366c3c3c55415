import * as v from 'valibot'

/* Building blocks of the schemas of answers: `import * as s from '.../shapes.ts'`, next to `v` of valibot. */

/** The schema of an answer or of a part of it. */
export type Schema = v.GenericSchema

/** A schema with a name, which is a component of the API document. */
export type Shape<S extends Schema> = v.LazySchema<S> & {
  readonly entries: S extends { readonly entries: infer Entries } ? Entries : unknown
}

/** The type of a view that fits a schema. Choices are of type string here. Tests check each answer against its choices. */
export type Output<S extends Schema> = Widened<v.InferOutput<S>>
type Widened<T> = T extends string
  ? string
  : T extends readonly (infer Item)[]
    ? readonly Widened<Item>[]
    : T extends object
      ? { [Name in keyof T]: Widened<T[Name]> }
      : T

/** Every shape of the modules that this process has loaded, by name. */
export const shapes: Map<string, () => Schema> = new Map()

/**
 * Names a schema. `build` runs at the first use of the schema. So shapes may refer to each other, and functions that do not use the schema do
 * not build it. `...Other.entries` repeats the members of another shape. Fails if the name is taken.
 */
export function shape<S extends Schema>(name: string, build: () => S): Shape<S> {
  let built: S | undefined
  const get = () => {
    built ??= build()
    return built
  }
  if (shapes.has(name)) throw new Error(`Two shapes have the name ${name}.`)
  shapes.set(name, get)
  const lazy = v.lazy(get)
  return Object.defineProperty(lazy, 'entries', { get: () => Object(get()).entries }) as Shape<S>
}

export const uuid = v.pipe(v.string(), v.uuid())
export const time = v.pipe(v.string(), v.isoTimestamp())
export const text = v.string()
export const whole = v.pipe(v.number(), v.integer())
export const maybe = <S extends Schema>(schema: S) => v.nullable(schema)
/** One of these values. Later versions may add more. */
export const oneOf = <const Options extends readonly string[]>(options: Options) => v.picklist(options)
/** Values by member name. The kind of the record declares its members. */
export const Values = shape('Values', () => v.record(v.string(), v.unknown()))
/** Members of a deleted record or comment. Only staff read it. */
export const tombstone = { deleted_at: v.optional(v.string()), is_deleted: v.optional(v.boolean()) }
