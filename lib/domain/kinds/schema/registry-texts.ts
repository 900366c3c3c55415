import type { Say } from '../../../base/language/catalogue.ts'
import type { Registry } from './registry.ts'

/** The members of the registry that people read. */
const prose: ReadonlySet<string> = new Set([
  'label',
  'labelPlural',
  'description',
  'shortDescription',
  'userLabel',
  'userDescription',
  'title',
  'detail',
  'ctaLabel',
])

/** The texts of the registry that people read, each once. */
export function registryTexts(registry: Registry): string[] {
  const found = new Set<string>()
  mapTexts(registry, (name, text) => {
    found.add(text)
    return { [name]: text }
  })
  return [...found].filter((text) => text !== '')
}

/** The registry with all its texts in another language. */
export const translateRegistry = (registry: Registry, say: Say): Registry =>
  mapTexts(registry, (name, text) => ({ [name]: say(text) }))

/** The registry with the texts of another language beside its own: `label` and `label_ne`. */
export const addTranslation = (registry: Registry, say: Say, suffix: string): Registry =>
  mapTexts(registry, (name, text) => ({ [name]: text, [`${name}_${suffix}`]: say(text) }))

type Put = (name: string, text: string) => Record<string, string>
/** A copy with the members that `put` returns in place of each text. Every text stays a text, so the copy has the type of the original. */
function mapTexts<T>(value: T, put: Put): T
function mapTexts(value: unknown, put: Put): unknown {
  if (Array.isArray(value)) return value.map((it) => mapTexts(it, put))
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).map(([name, it]) =>
    typeof it === 'string' && prose.has(name) ? put(name, it) : { [name]: mapTexts(it, put) },
  )
  return Object.assign({}, ...members)
}
