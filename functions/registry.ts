import { endpoint } from '../lib/http/endpoint.ts'
import { content } from '../lib/http/reply.ts'
import { publicRoute, type Routes } from '../lib/http/route.ts'
import { registry } from '../lib/kinds/schema/registry.ts'

/** The published description of all kinds, from which forms are built. */
export const routes = {
  'GET /cidoc/schema/registry/': publicRoute({
    permission: 'registry.read',
    cache: { control: 'private, max-age=60' },
    handle: async () =>
      content(serialised(), 'application/json', {
        etag: `"${registry().schema_version}"`,
        'x-hg-schema-source': 'cache',
      }),
  }),
} satisfies Routes

export const handler = endpoint(routes)

/** Written out once per process: it changes with the code only. */
function serialised(): string {
  text ??= JSON.stringify(registry())
  return text
}

let text: string | undefined
