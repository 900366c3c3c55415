import * as v from 'valibot'
import * as s from '../../../base/shapes.ts'

/** A text of the registry. If the query names both languages, the Nepali text is beside it. */
const inBoth = <const Name extends string>(name: Name) =>
  ({ [name]: s.text, [`${name}_ne`]: v.optional(s.text) }) as Record<Name, typeof s.text>
const option = () =>
  v.object({
    value: s.text,
    ...inBoth('label'),
    description: v.optional(s.text),
    description_ne: v.optional(s.text),
  })
/** A member of a kind, as forms draw it. */
const SlotView = s.shape('Slot', () =>
  v.object({
    key: s.text,
    ...inBoth('label'),
    type: s.text,
    section: s.text,
    order: s.whole,
    required: v.boolean(),
    multivalued: v.boolean(),
    ...inBoth('description'),
    slot_uri: s.text,
    relationTo: v.optional(s.text),
    relationEndpoint: v.optional(s.text),
    relationRegistryKey: v.optional(s.text),
    inlineAuthoring: v.optional(v.boolean()),
    enum_range: v.optional(s.text),
    options: v.optional(v.array(option())),
    maxLength: v.optional(s.whole),
    minimum: v.optional(v.number()),
    maximum: v.optional(v.number()),
    example: v.optional(s.text),
    placeholder: v.optional(s.text),
  }),
)
const RegistryClassView = s.shape('RegistryClass', () =>
  v.object({
    key: s.text,
    ...inBoth('label'),
    ...inBoth('labelPlural'),
    ...inBoth('description'),
    classUri: s.text,
    icon: s.text,
    apiEndpoint: s.text,
    category: s.text,
    navigable: v.boolean(),
    sections: v.array(v.object({ key: s.text, ...inBoth('label') })),
    fields: v.array(SlotView),
    columns: v.array(
      v.object({ key: s.text, ...inBoth('label'), sortable: v.boolean(), visible: v.boolean(), format: s.text }),
    ),
  }),
)
export const RegistryView = s.shape('Registry', () =>
  v.object({
    schema_version: s.text,
    tenant_id: s.maybe(s.text),
    degraded: v.boolean(),
    classes: v.record(v.string(), RegistryClassView),
    enums: v.record(v.string(), v.array(option())),
    contribute_hub: v.object({
      hubCategories: v.array(v.object({ key: s.text, ...inBoth('label'), icon: s.text, order: s.whole })),
      intents: v.array(
        v.object({
          registryKey: s.text,
          hubCategory: s.text,
          route: s.text,
          emoji: s.text,
          ...inBoth('shortDescription'),
          ...inBoth('description'),
          difficulty: s.oneOf(['beginner', 'intermediate', 'advanced']),
        }),
      ),
      quickStart: v.array(s.text),
    }),
    semantic_patterns: v.array(v.record(v.string(), v.unknown())),
    registry_jsonschema: v.object({
      version: s.whole,
      byClassKey: v.record(v.string(), v.record(v.string(), v.unknown())),
    }),
  }),
)
