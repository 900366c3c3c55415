import { type ConversionConfig, toJsonSchema, toJsonSchemaDefs } from '@valibot/to-json-schema'
import type { GenericSchema } from 'valibot'
import { type Schema, shapes } from '../lib/base/shapes.ts'
import { jsonSchemaOf, type Kind, kindKeys, kinds, schemaOf } from '../lib/domain/kinds/index.ts'
import { pascalCase } from '../lib/domain/kinds/keys.ts'
import { isJson, type Json } from './json.ts'

/** The bodies of each kind: whole, or only the members that change. */
const sent = kindKeys.flatMap((key) => [
  { name: `${pascalCase(key)}Create`, schema: schemaOf(kinds[key], 'create'), kind: kinds[key], whole: true },
  { name: `${pascalCase(key)}Change`, schema: schemaOf(kinds[key], 'change'), kind: kinds[key], whole: false },
])
const bodies = Object.fromEntries(sent.map(({ name, schema }) => [name, schema]))

const settings: ConversionConfig = {
  target: 'draft-2020-12',
  // JSON Schema cannot express some checks. The service still refuses such values.
  errorMode: 'ignore',
  overrideRef: ({ referenceId }) => `#/components/schemas/${referenceId}`,
  overrideSchema: ({ valibotSchema }) =>
    valibotSchema.type === 'instance' ? { type: 'string', contentMediaType: 'application/octet-stream' } : undefined,
}

/** Writes a schema as JSON Schema, of bodies (`input`) or of answers (`output`). Named shapes become references. */
export function writeJsonSchema(schema: GenericSchema, mode: 'input' | 'output'): Json {
  const known = written[mode].get(schema)
  if (known) return known
  const made = tidy(convert(schema, mode, namedWithin(schema)))
  written[mode].set(schema, made)
  return made
}

/** The shapes and bodies of kinds that a schema contains, at any depth, by name. The converter converts all that it is given with each schema. */
function namedWithin(schema: GenericSchema): Record<string, GenericSchema> {
  const names = new Map(
    Object.entries({ ...buildShapes(), ...bodies }).map(([name, it]): [unknown, string] => [it, name]),
  )
  const seen = new Set<unknown>()
  const visit = (it: unknown): void => {
    if (typeof it !== 'object' || it === null || seen.has(it)) return
    seen.add(it)
    if ('getter' in it && typeof it.getter === 'function') visit(it.getter())
    for (const each of Object.values(it)) visit(each)
  }
  visit(schema)
  return Object.fromEntries([...names].filter(([it]) => seen.has(it)).map(([it, name]) => [name, it as GenericSchema]))
}

/** What has been written: the routes of the kinds share their schemas. */
const written = { input: new WeakMap<GenericSchema, Json>(), output: new WeakMap<GenericSchema, Json>() }

/** Builds all shapes, by name. */
const buildShapes = (): Record<string, Schema> =>
  Object.fromEntries([...shapes].map(([name, build]) => [name, build()]))

/** Builds the components to which the references lead. */
export function components(): Record<string, Json> {
  // They are written together, so that a shape can refer to itself.
  const all = Object.entries(toJsonSchemaDefs(buildShapes(), { ...settings, typeMode: 'output' })).map(
    ([name, schema]) => [name, tidy(schema)] as const,
  )
  return Object.assign(Object.fromEntries(all), ...sent.map(({ name, kind, whole }) => bodyOf(name, kind, whole)))
}

function convert(
  schema: GenericSchema,
  typeMode: 'input' | 'output',
  definitions: Record<string, GenericSchema>,
): Json {
  const { $schema: _, $defs: __, ...rest } = toJsonSchema(schema, { ...settings, typeMode, definitions })
  return rest
}

/** Builds the body of a kind, and the definitions that it shares with others. In a change no member is required. */
function bodyOf(name: string, kind: Kind, whole: boolean): Record<string, Json> {
  const { $schema: _, $defs, title, ...schema } = tidy(jsonSchemaOf(kind))
  const { required, allOf, ...open } = schema
  const definitions = Object.entries(isJson($defs) ? $defs : {}).map(([each, it]) => [`value.${each}`, it])
  return {
    [name]: {
      title: whole ? title : `${title} (change)`,
      ...open,
      ...(whole && { required, ...(allOf ? { allOf } : {}) }),
    },
    ...Object.fromEntries(definitions),
  }
}

/** Drops empty lists, and turns references to definitions into references to components. */
function tidy(value: unknown): Json {
  const clean = (it: unknown): unknown => {
    if (Array.isArray(it)) return it.map(clean)
    if (!isJson(it)) return it
    const members = Object.entries(it).filter(
      ([name, each]) => !(name === 'required' && Array.isArray(each) && each.length === 0) && name !== 'propertyNames',
    )
    return Object.fromEntries(
      members.map(([name, each]) => [
        name,
        name === '$ref' ? String(each).replace('#/$defs/', '#/components/schemas/value.') : clean(each),
      ]),
    )
  }
  const made = clean(value)
  return isJson(made) ? made : {}
}
