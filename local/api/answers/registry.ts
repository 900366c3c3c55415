import type { routes } from '../../../functions/registry.ts'
import { registry as published } from '../../../lib/kinds/schema/registry.ts'
import type { Answers } from '../answer.ts'
import { Registry } from '../shapes/service.ts'

export const registry: Answers<typeof routes> = {
  'GET /cidoc/schema/registry/': {
    says: 'Read the registry of all kinds',
    more: 'From it contribution forms are built. `schema_version` changes when anything in it does. `languages=en,ne` gives every text in both languages: `label` and `label_ne`.',
    gives: { 200: { shape: Registry, etag: true } },
    headers: ['X-HG-Schema-Source'],
    shows: excerpt,
  },
}

/** The registry as if there were one kind: the whole is too large to be shown. */
function excerpt() {
  const { schema_version: _, classes, enums, contribute_hub, semantic_patterns, ...rest } = published()
  const { intents, ...hub } = contribute_hub
  return {
    ...rest,
    // An example changes when what it shows does, not with every change of a kind.
    schema_version: '0123456789abcdef',
    classes: { guthi: classes.guthi },
    enums: { GuthiTypeEnum: enums.GuthiTypeEnum },
    contribute_hub: { ...hub, intents: intents.slice(0, 1) },
    semantic_patterns: semantic_patterns.slice(0, 1),
    registry_jsonschema: { ...rest.registry_jsonschema, byClassKey: {} },
  }
}
