import { createHash } from 'node:crypto'
import * as v from 'valibot'
import { endpoint } from '../lib/http/endpoint.ts'
import { oneOrNone } from '../lib/http/params.ts'
import { content } from '../lib/http/reply.ts'
import { publicRoute, type Routes } from '../lib/http/route.ts'
import { registry } from '../lib/kinds/schema/registry.ts'
import { registryIn, registryWith } from '../lib/kinds/schema/registry-texts.ts'
import type { Language } from '../lib/language/languages.ts'
import { sayIn } from '../lib/language/say.ts'

/** In which languages it is asked for: one of them, or Nepali beside English. */
const asked = ['en', 'ne', 'en,ne'] as const
type Asked = (typeof asked)[number]

/** The published description of all kinds, from which forms are built. */
export const routes = {
  'GET /cidoc/schema/registry/': publicRoute({
    permission: 'registry.read',
    cache: { control: 'private, max-age=60' },
    says: [],
    query: v.object({ languages: oneOrNone(asked) }),
    handle: async ({ query: { languages }, request }) => {
      const { text, etag } = await written(languages ?? request.language)
      return content(text, 'application/json', {
        etag,
        'content-language': languages?.replace(',', ', ') ?? request.language,
        'x-hg-schema-source': 'cache',
      })
    },
  }),
} satisfies Routes

export const handler = endpoint(routes)

type Written = { text: string; etag: string }

/** Written out once per process and language: it changes with the code only. */
async function written(languages: Asked): Promise<Written> {
  const known = texts.get(languages)
  if (known) return known
  const made = await write(languages)
  texts.set(languages, made)
  return made
}
const texts = new Map<Asked, Written>()

async function write(languages: Asked): Promise<Written> {
  const plain = registry()
  if (languages === 'en') return { text: JSON.stringify(plain), etag: `"${plain.schema_version}"` }
  const other: Language = 'ne'
  const say = await sayIn(other)
  const text = JSON.stringify(languages === other ? registryIn(plain, say) : registryWith(plain, say, other))
  return { text, etag: `"${createHash('sha256').update(text).digest('hex')}"` }
}
