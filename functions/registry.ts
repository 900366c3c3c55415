import { createHash } from 'node:crypto'
import * as v from 'valibot'
import type { Language } from '../lib/base/language/languages.ts'
import { sayIn } from '../lib/base/language/say.ts'
import type { Registry } from '../lib/domain/kinds/schema/registry.ts'
import { RegistryView } from '../lib/domain/kinds/schema/registry-shape.ts'
import { LabelChoiceView, loadLabelChoices } from '../lib/domain/labels/labels.ts'
import { linkedAnswer, linkedHandlers } from '../lib/doors/linked/rdf.ts'
import { ok } from '../lib/platform/http/answer.ts'
import { endpoint } from '../lib/platform/http/endpoint.ts'
import { optionalQueryChoice } from '../lib/platform/http/params.ts'
import { type JsonText, jsonText, replyContent } from '../lib/platform/http/reply.ts'
import { publicRoute, type Routes } from '../lib/platform/http/route.ts'
import { refreshKeptState } from '../lib/platform/kept-state.ts'
import { excerpt } from './registry/excerpt.ts'
import { extensions } from './registry/extensions.ts'

/** The languages that a query may name: one of them, or both. */
const asked = ['en', 'ne', 'en,ne'] as const
type Asked = (typeof asked)[number]

/** The published description of all kinds, from which forms are built, and proposals to extend it. */
export const routes = {
  ...extensions,

  'GET /cidoc/schema/registry/': publicRoute({
    permission: 'registry.read',
    summary: 'Read the registry of all kinds',
    description:
      'From it contribution forms are built. `schema_version` changes when anything in it does. `languages=en,ne` gives every text in both languages: `label` and `label_ne`.',
    answer: { 200: { shape: RegistryView, etag: true } },
    answerHeaders: ['X-HG-Schema-Source'],
    example: excerpt,
    cache: { control: 'private, max-age=60' },
    translatedPaths: [],
    query: v.object({ languages: optionalQueryChoice(asked) }),
    handle: async ({ query: { languages }, request }) => {
      const { text, etag } = await loadRegistryText(languages ?? request.language)
      return replyContent(text, 'application/json', {
        etag,
        'content-language': languages?.replace(',', ', ') ?? request.language,
        'x-hg-schema-source': 'cache',
      })
    },
  }),

  'GET /cidoc/schema/labels/': publicRoute({
    permission: 'vocabulary.read',
    summary: 'List the labels by which communities say how a thing may be used',
    description:
      'Those of Local Contexts (traditional knowledge, biocultural, notices), in English and Nepali, and one for words of their own.',
    answer: ok(v.object({ results: v.array(LabelChoiceView) })),
    cache: { control: 'public, max-age=300' },
    translatedPaths: [],
    handle: async () => ({ results: await loadLabelChoices() }),
  }),
  'GET /cidoc/shapes/': publicRoute({
    permission: 'registry.read',
    summary: 'Read the shapes that public records fit: SHACL',
    description: 'Made from the kinds, with labels in English and Nepali. Turtle, or what `Accept` names.',
    answer: linkedAnswer,
    cache: { control: 'public, max-age=300' },
    translatedPaths: [],
    ...linkedHandlers(async (origin) => (await import('../lib/doors/linked/shacl.ts')).describeShapes(origin)),
  }),
} satisfies Routes

export const handler = endpoint(routes)

type Written = { text: JsonText<Registry>; etag: string }

/** Returns the registry as JSON. A process writes it once for each language, until something is added to the kinds. */
async function loadRegistryText(languages: Asked): Promise<Written> {
  const { whenKindsChange } = await import('../lib/domain/kinds/index.ts')
  if (!isFollowed) whenKindsChange(() => texts.clear())
  isFollowed = true
  // The import above has set how the kinds are read from the table. So only now this request can refresh them.
  await refreshKeptState()
  const known = texts.get(languages)
  if (known) return known
  const made = await write(languages)
  texts.set(languages, made)
  return made
}
const texts = new Map<Asked, Written>()
let isFollowed = false

async function write(languages: Asked): Promise<Written> {
  // This code is loaded with the first request for the registry, since proposals do not need it.
  const [{ registry }, { addTranslation, translateRegistry }] = await Promise.all([
    import('../lib/domain/kinds/schema/registry.ts'),
    import('../lib/domain/kinds/schema/registry-texts.ts'),
  ])
  const plain = registry()
  if (languages === 'en') return { text: jsonText(plain), etag: `"${plain.schema_version}"` }
  const other: Language = 'ne'
  const say = await sayIn(other)
  const text = jsonText(languages === other ? translateRegistry(plain, say) : addTranslation(plain, say, other))
  return { text, etag: `"${createHash('sha256').update(text).digest('hex')}"` }
}
