import * as v from 'valibot'

/**
 * Notes on the schemas of queries, paths and bodies. A note is metadata of valibot, written as a step of a pipe. The pipeline and the
 * API document read it.
 */

/** Returns what is wrong with a text as it was sent, or undefined. */
export type FaultOf = (sent: string) => string | undefined
/** JSON Schema of a parameter. */
export type ParameterType = Readonly<Record<string, unknown>>
/** Names of members, each with the names inside of it. Null stands for a member that has none, or may have any. */
export type Members = { readonly [name: string]: Members | null }

/** The keys of notes. They are symbols, since the API document shows all metadata under names. */
const WARN_IF = Symbol('warnIf')
const DOCUMENT_AS = Symbol('documentAs')
const DECLARE_MEMBERS = Symbol('declareMembers')
type Notes = { [WARN_IF]?: FaultOf; [DOCUMENT_AS]?: ParameterType; [DECLARE_MEMBERS]?: Members }

const addNotes = <Input>(notes: Notes) => v.metadata<Input, Notes>(notes)

/** Warns of a query member whose text is accepted, but is ignored or read in another way than the client may expect. */
export const warnIf = <Input>(faultOf: FaultOf) => addNotes<Input>({ [WARN_IF]: faultOf })

/** Gives the type that clients should send. A parameter arrives as text, so its schema alone would be documented as `string`. */
export const documentAs = <Input>(type: ParameterType) => addNotes<Input>({ [DOCUMENT_AS]: type })

/** Names the members, aliases included, that a step of code reads from a body. */
export const declareMembers = <Input>(members: Members) => addNotes<Input>({ [DECLARE_MEMBERS]: members })

/** The properties of valibot's schemas that lead to the schemas inside. */
type Part = v.GenericSchema & {
  readonly entries?: Readonly<Record<string, Part>>
  readonly wrapped?: Part
  readonly item?: Part
  readonly options?: readonly unknown[]
}

/** The schemas of the members of an object; none for any other schema. */
export const entriesOf = (schema: v.GenericSchema | undefined): Readonly<Record<string, v.GenericSchema>> =>
  (schema as Part | undefined)?.entries ?? {}

/** Returns what the `warnIf` of a query member says about its text. Undefined if nothing is wrong. */
export const queryFaultOf = (schema: v.GenericSchema, sent: string): string | undefined =>
  noteOf(schema, WARN_IF)?.(sent)

/** Returns the documented types of the parameters that a schema reads, by name. */
export function parameterTypes(schema: v.GenericSchema | undefined): Record<string, ParameterType> {
  const types: Record<string, ParameterType> = {}
  for (const [name, entry] of Object.entries(entriesOf(schema))) {
    const type = noteOf(entry, DOCUMENT_AS)
    if (type) types[name] = type
  }
  return types
}

/** Returns the members that a schema reads, with those inside of them. Undefined if it accepts any. */
export function membersOf(schema: v.GenericSchema): Members | undefined {
  const declared = noteOf(schema, DECLARE_MEMBERS)
  if (declared) return declared
  const { type, entries, wrapped, item, options } = schema as Part
  if (type === 'object' && entries)
    return Object.fromEntries(Object.entries(entries).map(([name, entry]) => [name, membersOf(entry) ?? null]))
  const inner = wrapped ?? item
  if (inner) return membersOf(inner)
  const alternatives = options
    ?.filter(isSchema)
    .map(membersOf)
    .filter((members) => members !== undefined)
  return alternatives && alternatives.length > 0 ? Object.assign({}, ...alternatives) : undefined
}

const isSchema = (option: unknown): option is v.GenericSchema => typeof option === 'object' && option !== null

/** Finds a note of a schema, or of the schema that it wraps. */
function noteOf<Key extends keyof Notes>(schema: v.GenericSchema, key: Key): Notes[Key] | undefined {
  const notes: Notes = v.getMetadata(schema)
  const { wrapped } = schema as Part
  return notes[key] ?? (wrapped && noteOf(wrapped, key))
}
