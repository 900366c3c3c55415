import { createHash } from 'node:crypto'
import { kindKeys, kinds } from '../index.ts'
import { assertionInputFields } from './assertion-input.ts'
import { optionsOf } from './enums.ts'
import type { Field } from './fields.ts'
import { contributeHub } from './hub.ts'
import { jsonSchemaOf } from './json-schema.ts'
import type { Kind } from './kind.ts'
import { whenKindsChange } from './overlay.ts'
import { semanticPatterns } from './patterns.ts'

export type Registry = ReturnType<typeof build>

/** Returns the published description of all kinds. It is built once, and again after the kinds change. Its version is a hash of its content. */
export function registry(): Registry {
  built ??= build()
  return built
}

let built: Registry | undefined
whenKindsChange(() => {
  built = undefined
})

function build() {
  const content = {
    tenant_id: null,
    degraded: false,
    classes: Object.fromEntries(kindKeys.map((key) => [key, classOf(kinds[key])])),
    enums: enumsOf(),
    contribute_hub: contributeHub(kindKeys.map((key) => kinds[key])),
    semantic_patterns: semanticPatterns(),
    registry_jsonschema: {
      version: 1,
      byClassKey: Object.fromEntries(kindKeys.map((key) => [key, jsonSchemaOf(kinds[key])])),
    },
  }
  const schema_version = createHash('sha256').update(JSON.stringify(content)).digest('hex')
  return { schema_version, ...content }
}

function classOf(kind: Kind) {
  const fields = Object.entries(kind.fields).map(([key, field], index) => slotOf(key, field, index + 1))
  return {
    key: kind.key,
    label: kind.label,
    labelPlural: kind.labelPlural,
    description: kind.description,
    classUri: kind.classUri,
    icon: kind.icon,
    apiEndpoint: kind.apiEndpoint,
    category: kind.category,
    navigable: kind.navigable,
    sections: sections.filter(({ key }) => fields.some((field) => field.section === key)),
    fields,
    columns: fields.slice(0, 8).map(columnOf),
  }
}

const sections = [
  { key: 'basic', label: 'Basic Information' },
  { key: 'names', label: 'Other Names' },
  { key: 'provenance', label: 'Sources and Care' },
]

function slotOf(key: string, field: Field, order: number) {
  const { vocabulary, relation, maxLength, minimum, maximum, example } = field
  return {
    key,
    label: field.label,
    type: field.type === 'labels' ? 'text' : field.type,
    section: field.section,
    order,
    required: field.required,
    multivalued: field.multivalued,
    description: field.description,
    slot_uri: field.slot_uri ?? `heritageGraph:${key}`,
    ...(relation && {
      relationTo: field.relationTo,
      relationEndpoint: kinds[relation].apiEndpoint,
      relationRegistryKey: relation,
    }),
    ...(field.inlineAuthoring && { inlineAuthoring: true }),
    ...(vocabulary && { enum_range: vocabulary.name, options: optionsOf(vocabulary) }),
    ...(maxLength !== undefined && { maxLength }),
    ...(minimum !== undefined && { minimum }),
    ...(maximum !== undefined && { maximum }),
    ...(example !== undefined && { example, placeholder: example }),
  }
}

function columnOf({ key, label, type, multivalued }: ReturnType<typeof slotOf>) {
  return {
    key,
    label,
    sortable: key === 'name',
    visible: true,
    format: multivalued ? 'list' : (formats[type] ?? 'text'),
  }
}

const formats: Readonly<Record<string, string>> = { select: 'badge', relation: 'link', url: 'link', date: 'date' }

function enumsOf() {
  const fields = [
    ...kindKeys.flatMap((key) => Object.values(kinds[key].fields)),
    ...Object.values(assertionInputFields),
  ]
  const vocabularies = fields.map((field) => field.vocabulary).filter((vocabulary) => vocabulary !== undefined)
  return Object.fromEntries(vocabularies.map((vocabulary) => [vocabulary.name, optionsOf(vocabulary)]))
}
