import { hash } from 'node:crypto'
import type * as v from 'valibot'
import { blankWith } from './wire/shape.ts'

/**
 * What was written by a process with the same schema need not be validated again when it is read. So each item is stored with the
 * shape of its type: a few letters that any change of the schema changes. An item of another shape, or of none, is completed by
 * the schema's defaults, as ever.
 */
export type Shape = {
  /** Undefined for a schema that does more than say what is there: its items are always validated. */
  mark: string | undefined
  members: readonly string[]
  /** An object with all of them, to be copied and filled. */
  blank: Readonly<Record<string, unknown>>
}

const known = new WeakMap<object, Shape>()

/** The shape of items with this schema. */
export function shapeOf(schema: v.GenericSchema): Shape {
  const found = known.get(schema)
  if (found) return found
  const said = described(schema)
  const isPlain = schema.type === 'object' && said !== undefined
  const members = isPlain ? Object.keys((schema as Parts).entries ?? {}) : []
  const mark = isPlain ? hash('sha256', said, 'base64url').slice(0, 8) : undefined
  const shape = { mark, members, blank: blankWith(members) }
  known.set(schema, shape)
  return shape
}

/** The members of a shape that an item has, in their order. */
export function pickMembers(
  { members, blank }: Pick<Shape, 'members' | 'blank'>,
  item: object,
): Record<string, unknown> {
  const from = item as Readonly<Record<string, unknown>>
  const made: Record<string, unknown> = members.every((name) => from[name] !== undefined) ? { ...blank } : {}
  for (const name of members) if (from[name] !== undefined) made[name] = from[name]
  return made
}

/** What schemas are made of, as far as it says what is there. */
type Parts = {
  type: string
  pipe?: unknown
  entries?: Readonly<Record<string, v.GenericSchema>>
  item?: v.GenericSchema
  key?: v.GenericSchema
  value?: v.GenericSchema
  wrapped?: v.GenericSchema
  default?: unknown
  options?: readonly unknown[]
  literal?: unknown
}

const leaves = ['string', 'number', 'boolean', 'any', 'unknown', 'null']
const wrappers = ['optional', 'exact_optional', 'nullable', 'nullish', 'undefinedable']

/** A schema in words that say all of it; undefined where it has steps that change or check what is there. */
function described(schema: v.GenericSchema): string | undefined {
  const { type, pipe, entries, item, key, value, wrapped, default: absent, options, literal } = schema as Parts
  if (pipe !== undefined || typeof absent === 'function') return undefined
  if (leaves.includes(type)) return type
  if (type === 'literal' || type === 'picklist') return `${type} ${JSON.stringify(literal ?? options)}`
  if (wrappers.includes(type)) return joined(`${type} ${JSON.stringify(absent)}`, [wrapped])
  if (type === 'array') return joined(type, [item])
  if (type === 'record') return joined(type, [key, value])
  if (type === 'union') return joined(type, options as readonly v.GenericSchema[])
  if (type === 'object') return joined(`${type} ${Object.keys(entries ?? {})}`, Object.values(entries ?? {}))
  return undefined
}

function joined(name: string, parts: readonly (v.GenericSchema | undefined)[]): string | undefined {
  const said = parts.map((part) => part && described(part))
  return said.includes(undefined) ? undefined : `${name}(${said.join(',')})`
}
