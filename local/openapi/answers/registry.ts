import type { routes } from '../../../functions/registry.ts'
import type { Answers } from '../answer.ts'
import { Registry } from '../shapes/service.ts'

export const registry: Answers<typeof routes> = {
  'GET /cidoc/schema/registry/': {
    says: 'Read the registry of all kinds',
    more: 'From it contribution forms are built. `schema_version` changes when anything in it does.',
    gives: { 200: { shape: Registry, etag: true } },
  },
}
