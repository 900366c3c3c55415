import * as v from 'valibot'
import { maybe, oneOf, text, time, whole } from './common.ts'

/** Probes, the link index, the registry. */

const Check = v.object({ healthy: v.boolean(), message: text })
export const Health = v.object({ status: oneOf(['healthy', 'degraded']), service: text, version: text })
export const Liveness = v.object({ alive: v.boolean(), service: text })
export const Readiness = v.object({ ready: v.boolean(), checks: v.object({ database: Check, storage: Check }) })
export const HealthDetails = v.object({
  ...Health.entries,
  database: Check,
  storage: Check,
  stream: Check,
  search: Check,
  cache: Check,
})
export const Links = v.object({
  service: text,
  version: text,
  admin: maybe(text),
  api_docs_swagger: maybe(text),
  api_docs_redoc: maybe(text),
  openapi_schema: maybe(text),
  health: text,
  health_detailed: text,
  health_ready: text,
  health_live: text,
  metrics: text,
  api_data_prefix: text,
  api_cidoc_prefix: text,
  registry: text,
})

export const Predicate = v.object({ id: text, code: text, label: text, inverse_label: text })

/** A text of the registry; beside it the Nepali one where both languages are asked for. */
const inBoth = <const Name extends string>(name: Name) =>
  ({ [name]: text, [`${name}_ne`]: v.optional(text) }) as Record<Name, typeof text>
const Option = v.object({
  value: text,
  ...inBoth('label'),
  description: v.optional(text),
  description_ne: v.optional(text),
})
/** A member of a kind, as forms draw it. */
export const Slot = v.object({
  key: text,
  ...inBoth('label'),
  type: text,
  section: text,
  order: whole,
  required: v.boolean(),
  multivalued: v.boolean(),
  ...inBoth('description'),
  slot_uri: text,
  relationTo: v.optional(text),
  relationEndpoint: v.optional(text),
  relationRegistryKey: v.optional(text),
  inlineAuthoring: v.optional(v.boolean()),
  enum_range: v.optional(text),
  options: v.optional(v.array(Option)),
  maxLength: v.optional(whole),
  minimum: v.optional(v.number()),
  maximum: v.optional(v.number()),
  example: v.optional(text),
  placeholder: v.optional(text),
})
export const RegistryClass = v.object({
  key: text,
  ...inBoth('label'),
  ...inBoth('labelPlural'),
  ...inBoth('description'),
  classUri: text,
  icon: text,
  apiEndpoint: text,
  category: text,
  navigable: v.boolean(),
  sections: v.array(v.object({ key: text, ...inBoth('label') })),
  fields: v.array(Slot),
  columns: v.array(
    v.object({ key: text, ...inBoth('label'), sortable: v.boolean(), visible: v.boolean(), format: text }),
  ),
})
export const Registry = v.object({
  schema_version: text,
  tenant_id: maybe(text),
  degraded: v.boolean(),
  classes: v.record(v.string(), RegistryClass),
  enums: v.record(v.string(), v.array(Option)),
  contribute_hub: v.object({
    hubCategories: v.array(v.object({ key: text, ...inBoth('label'), icon: text, order: whole })),
    intents: v.array(
      v.object({
        registryKey: text,
        hubCategory: text,
        route: text,
        emoji: text,
        ...inBoth('shortDescription'),
        ...inBoth('description'),
        difficulty: oneOf(['beginner', 'intermediate', 'advanced']),
      }),
    ),
    quickStart: v.array(text),
  }),
  semantic_patterns: v.array(v.record(v.string(), v.unknown())),
  registry_jsonschema: v.object({
    version: whole,
    byClassKey: v.record(v.string(), v.record(v.string(), v.unknown())),
  }),
})
const Operation = v.objectWithRest({ operationId: text, summary: text, tags: v.array(text) }, v.unknown())
/** This document, as OpenAPI 3.1 defines it. */
export const ApiDocument = v.objectWithRest(
  {
    openapi: text,
    info: v.objectWithRest({ title: text, version: text }, v.unknown()),
    paths: v.record(v.string(), v.record(v.string(), Operation)),
  },
  v.unknown(),
)
export const SuggestedValue = v.object({ suggestion: text, confidence: v.number() })

const ExportFile = v.object({
  name: text,
  kind: text,
  format: oneOf(['jsonl', 'csv']),
  holds: oneOf(['records', 'provenance']),
  rows: whole,
  bytes: whole,
  sha256: text,
  url: text,
})
/** The files that the last run of the export made; `made_at` is null before the first. */
export const Exports = v.object({ made_at: maybe(time), licence: maybe(text), files: v.array(ExportFile) })
