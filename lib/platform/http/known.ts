import type * as v from 'valibot'
import { cut, didYouMean } from '../../engines/matching/index.ts'
import { type Members, membersOfBody } from './body-members.ts'
import type { Warning } from './warnings.ts'

/** What of a request is known: read from the schemas, so that no route says it twice. */

type Fault = (sent: string) => string | undefined
const faults = new WeakMap<object, Fault>()

/** A schema of a query member that takes anything: what of it has no effect, or not that which was meant, is told. */
export function toldWhen<S extends v.GenericSchema>(schema: S, fault: Fault): S {
  faults.set(schema, fault)
  return schema
}

/** JSON Schema of a parameter. */
export type ParameterType = Readonly<Record<string, unknown>>
const types = new WeakMap<object, ParameterType>()

/**
 * A schema of a parameter with the type that clients should send. It arrives as text, so the schema alone says
 * `string`: `documentAs(BooleanFlag, { type: 'boolean' })`.
 */
export function documentAs<S extends v.GenericSchema>(schema: S, type: ParameterType): S {
  types.set(schema, type)
  return schema
}

/** The documented types of the parameters that a schema reads, by name. */
export function parameterTypes(schema: object | undefined): Record<string, ParameterType> {
  const entries = (schema as Part | undefined)?.entries ?? {}
  return Object.fromEntries(
    Object.entries(entries).flatMap(([name, entry]) => {
      const type = innermost(types, entry)
      return type === undefined ? [] : [[name, type]]
    }),
  )
}

/** The parts of schemas that say which members there are. */
type Part = {
  type: string
  entries?: Readonly<Record<string, Part>>
  wrapped?: Part
  item?: Part
  options?: readonly unknown[]
  pipe?: readonly Part[]
}

/** The members that a schema reads, with theirs; undefined where it takes any. */
export function membersOf(schema: object): Members | undefined {
  const own = membersOfBody(schema)
  if (own) return own
  const it = schema as Part
  if (it.type === 'object' && it.entries)
    return Object.fromEntries(Object.entries(it.entries).map(([name, each]) => [name, membersOf(each) ?? null]))
  const inner = it.wrapped ?? it.item
  if (inner) return membersOf(inner)
  const options = it.options?.filter((each) => typeof each === 'object' && each !== null)
  const among = options?.map(membersOf).filter((each) => each !== undefined)
  return among && among.length > 0 ? Object.assign({}, ...among) : undefined
}

/** Members of a body, wherever they lie, that nobody reads. */
export function unknownMembers(members: Members, body: unknown, path = ''): Warning[] {
  if (Array.isArray(body))
    return body.slice(0, MOST).flatMap((each, i) => unknownMembers(members, each, `${path}${i}.`))
  if (typeof body !== 'object' || body === null || body instanceof File) return []
  return Object.entries(body)
    .flatMap(([name, value]): Warning[] => {
      if (!Object.hasOwn(members, name)) return [unknown(`${path}${name}`, 'member', name, Object.keys(members))]
      const inner = members[name]
      return inner ? unknownMembers(inner, value, `${path}${name}.`) : []
    })
    .slice(0, MOST)
}

/** Beyond this many no one reads them. */
const MOST = 50

/** That nobody reads a name, and which one was meant. */
export const unknown = (
  member: string,
  what: 'member' | 'parameter',
  name: string,
  known: readonly string[],
): Warning => ({
  member: cut(member, 200),
  message: `This ${what} is not read; it has no effect.${didYouMean(name, known)}`,
})

/** What of a query has no effect: names that nobody reads, and values that say nothing legal. `also` are read elsewhere. */
export function queryFaults(
  schema: v.GenericSchema | undefined,
  rawQuery: string,
  { repeated = [], also }: { repeated?: readonly string[] | undefined; also: Readonly<Record<string, Fault>> },
): Warning[] {
  const entries = (schema as Part | undefined)?.entries ?? {}
  const known = [...Object.keys(entries), ...Object.keys(also)]
  const sent = new URLSearchParams(rawQuery)
  return [...new Set(sent.keys())].flatMap((name): Warning[] => {
    const values = sent.getAll(name)
    const last = values.at(-1) ?? ''
    if (!known.includes(name)) return [unknown(name, 'parameter', name, known)]
    const message = entries[name] ? innermost(faults, entries[name])?.(last) : also[name]?.(last)
    const twice = values.length > 1 && !repeated.includes(name)
    return [
      ...(message === undefined ? [] : [{ member: name, message }]),
      ...(twice ? [{ member: name, message: 'It was sent several times; the last one counts.' }] : []),
    ]
  })
}

/** What is noted of a schema, or of the schema that it pipes or wraps. */
function innermost<T>(notes: WeakMap<object, T>, schema: Part): T | undefined {
  const inner = schema.pipe?.[0] ?? schema.wrapped
  return notes.get(schema) ?? (inner && inner !== schema ? innermost(notes, inner) : undefined)
}
