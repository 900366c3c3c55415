import type { Say } from '../../../base/language/catalogue.ts'
import type { Registry } from './registry.ts'

/** The members of the registry whose texts people read. */
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

/** Translates all texts of the registry. */
export const translateRegistry = (registry: Registry, say: Say): Registry =>
  mapTexts(registry, (name, text) => ({ [name]: say(text) }))

/** Adds the texts of another language beside those of the registry: `label` and `label_ne`. */
export const addTranslation = (registry: Registry, say: Say, suffix: string): Registry =>
  mapTexts(registry, (name, text) => ({ [name]: text, [`${name}_${suffix}`]: say(text) }))

type Put = (name: string, text: string) => Record<string, string>
/** A copy with the members that `put` returns in place of each text. Every text stays a text, so the copy has the type of the original. */
function mapTexts<T>(value: T, put: Put): T
function mapTexts(value: unknown, put: Put): unknown {
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, put))
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).map(([name, member]) =>
    typeof member === 'string' && prose.has(name) ? put(name, member) : { [name]: mapTexts(member, put) },
  )
  return Object.assign({}, ...members)
}
