import { hash } from 'node:crypto'
import type * as v from 'valibot'
import { blankWith } from './wire/shape.ts'

/**
 * An item that was written under the same schema is not validated again when it is read. So each item is stored with the shape of
 * its type: a few letters, a hash of the schema. An item with another shape is validated, and gets the schema's defaults.
 */
export type Shape = {
  /** Undefined for a schema that checks or changes values: its items are always validated. */
  mark: string | undefined
  members: readonly string[]
  /** An object with all members, to be copied and filled. */
  blank: Readonly<Record<string, unknown>>
}

const known = new WeakMap<object, Shape>()

/** Works out the shape of a schema with the first call, and keeps it. */
export function shapeOf(schema: v.GenericSchema): Shape {
  const found = known.get(schema)
  if (found) return found
  const said = describeSchema(schema)
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

/** The parts of a valibot schema that describe its values. */
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

/** Returns a text that describes all of a schema. Undefined if the schema checks or changes values. */
function describeSchema(schema: v.GenericSchema): string | undefined {
  const { type, pipe, entries, item, key, value, wrapped, default: absent, options, literal } = schema as Parts
  if (pipe !== undefined || typeof absent === 'function') return undefined
  if (leaves.includes(type)) return type
  if (type === 'literal' || type === 'picklist') return `${type} ${JSON.stringify(literal ?? options)}`
  if (wrappers.includes(type)) return joinParts(`${type} ${JSON.stringify(absent)}`, [wrapped])
  if (type === 'array') return joinParts(type, [item])
  if (type === 'record') return joinParts(type, [key, value])
  if (type === 'union') return joinParts(type, options as readonly v.GenericSchema[])
  if (type === 'object') return joinParts(`${type} ${Object.keys(entries ?? {})}`, Object.values(entries ?? {}))
  return undefined
}

function joinParts(name: string, parts: readonly (v.GenericSchema | undefined)[]): string | undefined {
  const said = parts.map((part) => part && describeSchema(part))
  return said.includes(undefined) ? undefined : `${name}(${said.join(',')})`
}
