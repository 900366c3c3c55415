import { isDeepStrictEqual } from 'node:util'
import { isJson, type Json } from '../json.ts'
import { atLength, inShort } from './notation.ts'

/**
 * Short forms of schemas, by name. `extends` names a schema whose members it has, and more. `partial` names a schema whose members it
 * has, all of them optional. Either may name a form of every kind.
 */
export type Schemas = { everyKind: Record<string, Json>; schemas: Record<string, unknown> }

/** The suffixes of a kind's schemas: their names are the kind and one of these. */
const forms = ['Create', 'Row']
const EVERY = 'every kind: '

/** Writes the short forms of schemas. A member that all these kinds share appears once. */
export function schemasInShort(schemas: Json, kinds: readonly string[]): Schemas {
  const short = Object.fromEntries(Object.entries(schemas).map(([name, it]) => [name, inShort(it)]))
  const everyKind = Object.fromEntries(
    forms.map((form) => [form, { members: common(kinds.map((name) => membersOf(short[`${name}${form}`]))) }]),
  )
  const write = (name: string) => {
    const form = forms.find((each) => name.endsWith(each))
    const create = name.replace(/Change$/, 'Create')
    if (create !== name && isDeepStrictEqual(partial(short[create]), short[name])) return { partial: create }
    if (form) return asExtension(`${EVERY}${form}`, everyKind[form], short[name])
    return asExtension(`${name}Row`, short[`${name}Row`], short[name])
  }
  return { everyKind, schemas: Object.fromEntries(Object.keys(short).map((name) => [name, write(name)])) }
}

/** Restores schemas from the form that `schemasInShort` has written. */
export function schemasAtLength({ everyKind, schemas }: Schemas): Record<string, Json> {
  const whole = (it: unknown): unknown => {
    if (!isJson(it)) return it
    if (typeof it.partial === 'string') return partial(whole(schemas[it.partial]))
    if (typeof it.extends !== 'string') return it
    const { extends: name, members, ...rest } = it
    const base = name.startsWith(EVERY) ? everyKind[name.slice(EVERY.length)] : whole(schemas[name])
    return { ...rest, members: { ...membersOf(base), ...(isJson(members) && members) } }
  }
  return Object.fromEntries(Object.entries(schemas).map(([name, it]) => [name, atLength(whole(it))]))
}

/** Writes a schema as its additions to another one, if it has all members of that one. */
function asExtension(name: string, base: unknown, it: unknown): unknown {
  const [given, own] = [membersOf(base), membersOf(it)]
  const hasAll = Object.entries(given).every(([each, schema]) => isDeepStrictEqual(own[each], schema))
  if (!isJson(it) || Object.keys(given).length === 0 || !hasAll) return it
  const { members: _, ...rest } = it
  const more = Object.entries(own).filter(([each]) => !(each in given))
  return { extends: name, ...(more.length > 0 && { members: Object.fromEntries(more) }), ...rest }
}

/** Returns the entries that all of these share. */
function common([first = {}, ...others]: readonly Json[]): Json {
  return Object.fromEntries(
    Object.entries(first).filter(([name, it]) => others.every((other) => isDeepStrictEqual(other[name], it))),
  )
}

function partial(it: unknown): unknown {
  if (!isJson(it)) return it
  const { members, allOf: _, ...rest } = it
  const open = Object.entries(membersOf(it)).map(([name, each]) => [`${name.replace(/\?$/, '')}?`, each])
  return { ...(isJson(members) && { members: Object.fromEntries(open) }), ...rest }
}

const membersOf = (it: unknown): Json => (isJson(it) && isJson(it.members) ? it.members : {})
