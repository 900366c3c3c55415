import { registry } from '../../lib/domain/kinds/schema/registry.ts'

// A file of its own, since bundles leave out examples. So the start of a function does not load the kinds.

/** An example of the registry with one kind: the whole is too large to show. */
export function excerpt() {
  const { schema_version: _, classes, enums, contribute_hub, semantic_patterns, ...rest } = registry()
  const { intents, ...hub } = contribute_hub
  return {
    ...rest,
    // The example changes only when its own kind changes.
    schema_version: '0123456789abcdef',
    classes: { guthi: classes.guthi },
    enums: { GuthiTypeEnum: enums.GuthiTypeEnum },
    contribute_hub: { ...hub, intents: intents.slice(0, 1) },
    semantic_patterns: semantic_patterns.slice(0, 1),
    registry_jsonschema: { ...rest.registry_jsonschema, byClassKey: {} },
  }
}
