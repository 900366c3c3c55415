import { type KindKey, kindKeys, kinds } from './index.ts'

/** What search calls each kind: its plural with underscores. */
export const resourceOf = (kind: KindKey): string => kinds[kind].segment.replaceAll('-', '_')

/** The kind behind such a name; undefined for users, projects, their assets and what does not exist. */
export const kindOfResource = (resource: string): KindKey | undefined => byResource.get(resource)

/** Everything that search tells apart. */
export const resources: readonly string[] = [...kindKeys.map(resourceOf), 'users', 'projects', 'project_assets']

/** What discovery counts and shows, with the name that it gives to each. */
export const discovered = {
  monuments: 'Monument',
  festivals: 'Festival',
  deities: 'Deity',
  persons: 'Person',
  guthis: 'Guthi',
  rituals: 'RitualEvent',
} as const

/** The groups of the first search, which clients still use. */
export const searchedFirst = [
  'persons',
  'locations',
  'events',
  'traditions',
  'deities',
  'guthis',
  'structures',
  'rituals',
  'festivals',
  'monuments',
] as const

const byResource = new Map(kindKeys.map((kind) => [resourceOf(kind), kind]))
