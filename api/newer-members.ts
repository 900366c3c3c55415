import { isJson, type Json } from './json.ts'

/**
 * Gives an example the members that its schema has got since it was recorded, each with the empty value of its type. A member without an
 * empty value stays absent: then the example has to be recorded anew. `schemas` are the shared schemas, by name.
 */
export function withNewerMembers(
  example: unknown,
  schema: unknown,
  schemas: Readonly<Record<string, unknown>>,
): unknown {
  const it = resolve(schema, schemas)
  if (Array.isArray(example)) return example.map((each) => withNewerMembers(each, it.items, schemas))
  if (!isJson(example)) return example
  return shapesOf(it, schemas).reduce((value: Json, shape) => withMembersOf(shape, value, schemas), example)
}

function withMembersOf(shape: Json, example: Json, schemas: Readonly<Record<string, unknown>>): Json {
  const properties = isJson(shape.properties) ? shape.properties : {}
  const required = Array.isArray(shape.required) ? shape.required.map(String) : []
  const missing = required
    .filter((name) => !(name in example))
    .map((name) => [name, emptyValueOf(properties[name], schemas)])
    .filter(([, value]) => value !== undefined)
  const known = Object.entries(example).map(([name, value]) => [
    name,
    name in properties ? withNewerMembers(value, properties[name], schemas) : value,
  ])
  return Object.fromEntries([...known, ...missing])
}

/** The schemas of which an object has to have all members: of alternatives only one that stands beside null. */
function shapesOf(it: Json, schemas: Readonly<Record<string, unknown>>): Json[] {
  const alternatives = alternativesOf(it, schemas).filter(({ type }) => type !== 'null')
  const parts = [...(Array.isArray(it.allOf) ? it.allOf : []), ...(alternatives.length === 1 ? alternatives : [])]
  return [it, ...parts.flatMap((part) => shapesOf(resolve(part, schemas), schemas))]
}

/** What an answer has where a member is empty. Undefined if the type has no empty value. */
function emptyValueOf(schema: unknown, schemas: Readonly<Record<string, unknown>>): unknown {
  const it = resolve(schema, schemas)
  const types = [it, ...alternativesOf(it, schemas)].flatMap(({ type }) => type)
  if (types.includes('null')) return null
  if (it.type === 'array') return []
  const isPlainText = it.type === 'string' && !('format' in it) && !('enum' in it) && !('pattern' in it)
  return isPlainText ? '' : undefined
}

const alternativesOf = ({ anyOf, oneOf }: Json, schemas: Readonly<Record<string, unknown>>): Json[] =>
  [anyOf, oneOf].flatMap((list) => (Array.isArray(list) ? list : [])).map((one) => resolve(one, schemas))

/** A schema itself, or the shared one that it names. */
function resolve(schema: unknown, schemas: Readonly<Record<string, unknown>>): Json {
  if (!isJson(schema)) return {}
  const name = typeof schema.$ref === 'string' ? schema.$ref.split('/').at(-1) : undefined
  return name === undefined ? schema : resolve(schemas[name], schemas)
}
