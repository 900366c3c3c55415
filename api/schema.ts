import { type ConversionConfig, toJsonSchema, toJsonSchemaDefs } from '@valibot/to-json-schema'
import type { GenericSchema } from 'valibot'
import { type Schema, shapes } from '../lib/base/shapes.ts'
import { jsonSchemaOf, type Kind, kindKeys, kinds, schemaOf } from '../lib/domain/kinds/index.ts'
import { pascalCase } from '../lib/domain/kinds/keys.ts'
import { isJson, type Json } from './json.ts'

/** What is sent of a kind: whole, or the members that change. */
const sent = kindKeys.flatMap((key) => [
  { name: `${pascalCase(key)}Create`, schema: schemaOf(kinds[key], 'create'), kind: kinds[key], whole: true },
  { name: `${pascalCase(key)}Change`, schema: schemaOf(kinds[key], 'change'), kind: kinds[key], whole: false },
])
const bodies = Object.fromEntries(sent.map(({ name, schema }) => [name, schema]))

const settings: ConversionConfig = {
  target: 'draft-2020-12',
  // What cannot be written (a check, a file) is refused by the service all the same.
  errorMode: 'ignore',
  overrideRef: ({ referenceId }) => `#/components/schemas/${referenceId}`,
  overrideSchema: ({ valibotSchema }) =>
    valibotSchema.type === 'instance' ? { type: 'string', contentMediaType: 'application/octet-stream' } : undefined,
}

/** A schema as JSON Schema: of what may be sent, or of what is answered. Named shapes are references. */
export function writeJsonSchema(schema: GenericSchema, mode: 'input' | 'output'): Json {
  return tidy(convert(schema, mode, { ...answered(), ...bodies }))
}

/** Every shape, by its name. */
const answered = (): Record<string, Schema> => Object.fromEntries([...shapes].map(([name, build]) => [name, build()]))

/** The components to which `written` refers. */
export function components(): Record<string, Json> {
  // All at once, so that a shape can name itself.
  const all = Object.entries(toJsonSchemaDefs(answered(), { ...settings, typeMode: 'output' })).map(
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

/** The body of a kind and the definitions that it shares with others. A change may leave out every member. */
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

/** Nothing empty, and references to components wherever definitions were meant. */
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
