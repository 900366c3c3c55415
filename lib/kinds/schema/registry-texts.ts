import type { Say } from '../../language/catalogue.ts'
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

/** What people read in the registry, each text once. */
export function textsOf(registry: Registry): string[] {
  const found = new Set<string>()
  mapped(registry, (name, text) => {
    found.add(text)
    return { [name]: text }
  })
  return [...found].filter((text) => text !== '')
}

/** The registry with its texts in another language. */
export const registryIn = (registry: Registry, say: Say): unknown =>
  mapped(registry, (name, text) => ({ [name]: say(text) }))

/** The registry with the texts of another language beside its own: `label` and `label_ne`. */
export const registryWith = (registry: Registry, say: Say, suffix: string): unknown =>
  mapped(registry, (name, text) => ({ [name]: text, [`${name}_${suffix}`]: say(text) }))

function mapped(value: unknown, put: (name: string, text: string) => Record<string, string>): unknown {
  if (Array.isArray(value)) return value.map((it) => mapped(it, put))
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).map(([name, it]) =>
    typeof it === 'string' && prose.has(name) ? put(name, it) : { [name]: mapped(it, put) },
  )
  return Object.assign({}, ...members)
}
