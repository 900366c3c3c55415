import { type KindKey, kindKeys, kinds } from './index.ts'

/** Returns the name of a kind in search: its path segment with underscores. Example: `structures`. */
export const resourceOf = (kind: KindKey): string => kinds[kind].segment.replaceAll('-', '_')

/** Returns the kind with this name in search. Undefined for users, projects and assets. */
export const kindOfResource = (resource: string): KindKey | undefined => byResource.get(resource)

/** The names of all resources that readers can search. */
export const resources: readonly string[] = [...kindKeys.map(resourceOf), 'users', 'projects', 'project_assets']

/** The groups that discovery counts and shows, with the type that it gives to each. */
export const discoveryGroups = {
  monuments: 'Monument',
  festivals: 'Festival',
  deities: 'Deity',
  persons: 'Person',
  guthis: 'Guthi',
  rituals: 'RitualEvent',
} as const

/** The groups of the first version of search, which clients still use. */
export const firstSearchGroups = [
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
