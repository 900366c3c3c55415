import { assertionInputFields } from './assertion-input.ts'
import type { Field } from './fields.ts'
import { forms } from './forms.ts'
import type { Kind } from './kind.ts'
import { latitude, longitude } from './points.ts'
import { referenceDefinitions } from './references.ts'
import { absentRef, absentSchema, blankSchema, type JsonSchema } from './value.ts'

/** Builds the JSON Schema (2020-12) of the bodies that create a record of a kind. `schemaOf` accepts the same bodies. */
export function jsonSchemaOf(kind: Kind): JsonSchema {
  const fields = Object.entries(kind.fields)
  const hasPair = kind.fields.coordinates?.type === 'coordinates'
  const properties: Record<string, JsonSchema> = {}
  for (const [name, field] of fields) {
    properties[name] = { title: field.label, ...property(field), ...(mustBeSentItself(field) && { not: absentRef }) }
    for (const alias of field.aliases) properties[alias] = property(field)
  }
  if (hasPair) Object.assign(properties, { latitude: property(latitude), longitude: property(longitude) })
  properties.assertion = { anyOf: [assertionSchema, absentRef] }

  const rules = [
    ...fields
      .filter(([, field]) => field.required && !mustBeSentItself(field))
      .map(([name, field]) => oneOfMembers(name, field)),
    ...(hasPair ? [bothOrNeither('latitude', 'longitude')] : []),
  ]
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: kind.label,
    type: 'object',
    required: fields.filter(([, field]) => mustBeSentItself(field)).map(([name]) => name),
    properties,
    ...(rules.length > 0 && { allOf: rules }),
    additionalProperties: true,
    $defs: definitions([...Object.values(kind.fields), ...(hasPair ? [latitude, longitude] : []), ...assertionFields]),
  }
}

/** Fields that accept the same input share one definition: a kind may have twenty relations. */
function definitions(fields: readonly Field[]): Record<string, JsonSchema> {
  const forms = fields.map((field) => [definitionOf(field), { anyOf: [formOf(field), absentRef] }] as const)
  return { absent: absentSchema, blank: blankSchema, ...referenceDefinitions, ...Object.fromEntries(forms) }
}

const formOf = (field: Field) => forms[field.type].schema(field)
const property = (field: Field) => ref(definitionOf(field))
const ref = (definition: string): JsonSchema => ({ $ref: `#/$defs/${definition}` })

function definitionOf(field: Field): string {
  const { type, vocabulary, ids, maxLength, minimum, maximum } = field
  const parts = [
    type,
    vocabulary?.name,
    ids,
    maxLength,
    minimum,
    maximum,
    field.multivalued && 'many',
    field.numeric && 'numeric',
  ]
  return parts.filter((part) => part !== undefined && part !== false).join('_')
}

const mustBeSentItself = (field: Field) => field.required && field.aliases.length === 0 && field.unless === undefined

function oneOfMembers(name: string, field: Field): JsonSchema {
  const members = [name, ...field.aliases, ...(field.unless === undefined ? [] : [field.unless])]
  return { anyOf: members.map(memberIsThere) }
}

const bothOrNeither = (one: string, other: string): JsonSchema => ({
  anyOf: [
    { allOf: [memberIsThere(one), memberIsThere(other)] },
    { not: { anyOf: [memberIsThere(one), memberIsThere(other)] } },
  ],
})
const memberIsThere = (member: string): JsonSchema => ({
  required: [member],
  properties: { [member]: { not: absentRef } },
})

const assertionFields = Object.values(assertionInputFields)
const assertionSchema: JsonSchema = {
  type: 'object',
  properties: Object.fromEntries(Object.entries(assertionInputFields).map(([name, field]) => [name, property(field)])),
}
