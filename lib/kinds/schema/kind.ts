import type { KindKey } from '../keys.ts'
import { base } from './base.ts'
import { type Field, name } from './fields.ts'

export type Category = 'tangible' | 'conceptual' | 'event' | 'social' | 'spatiotemporal' | 'provenance' | 'kumari'

export type HubCategory =
  | 'general'
  | 'tangible'
  | 'events'
  | 'kumari'
  | 'conceptual'
  | 'social'
  | 'spatiotemporal'
  | 'provenance'

/** How the contribution hub advertises a kind. Without one a kind has no form of its own there. */
export type Hub = {
  readonly hubCategory: HubCategory
  readonly route?: string
  readonly emoji: string
  readonly shortDescription: string
  readonly description: string
  readonly difficulty: 'beginner' | 'intermediate' | 'advanced'
}

/** A kind of record as data. Server-owned members (status, contributor, ids) are not fields, so nobody can send them. */
export type Kind = {
  readonly key: KindKey
  /** Part of stored ids: never changed, never used twice. */
  readonly code: number
  readonly segment: string
  readonly apiEndpoint: string
  /** True where records have small integer ids of their own under /cidoc/{segment}/. */
  readonly record: boolean
  readonly label: string
  readonly labelPlural: string
  readonly description: string
  readonly classUri: string
  readonly className: string
  readonly typeScope: string | null
  readonly category: Category
  readonly icon: string
  readonly navigable: boolean
  readonly queueCategory: string
  readonly nameField: string
  readonly fields: Readonly<Record<string, Field>>
  readonly search: readonly string[]
  readonly hub?: Hub
}

/** The fields that hold the names of a record, its own first. */
export const nameFieldsOf = ({ nameField }: Kind): string[] => [nameField, 'name_ne', 'alternate_names']
/** The fields by which a record can look like another: its names, its place, and what identifies it elsewhere. */
export const likenessFieldsOf = (kind: Kind): string[] => [
  ...nameFieldsOf(kind),
  ...['coordinates', 'identifier', 'same_as', 'epoch_date_gregorian', 'year_offset_from_gregorian'],
]
/** The fields that say in sentences what a record is; the first that is filled sums it up. */
export const proseFields: readonly string[] = ['description', 'biography', 'note', 'route_description']

type Facts<F extends Record<string, Field>> = Omit<
  Kind,
  'apiEndpoint' | 'record' | 'fields' | 'search' | 'nameField'
> & {
  readonly fields: F
}

/** Declares a kind whose every field is written out. */
export function defineKind<F extends Record<string, Field>>(
  kind: Facts<F> & {
    readonly apiEndpoint?: string
    readonly nameField: keyof F & string
    readonly search: readonly (keyof F & string)[]
  },
): Kind {
  return { apiEndpoint: `/cidoc/${kind.segment}/`, record: false, ...kind }
}

/** Declares a kind with integer ids: it has a name and the shared base fields besides its own, which may replace them. */
export function defineRecordKind<F extends Record<string, Field>>(
  kind: Facts<F> & { readonly search: readonly (keyof (F & typeof base & { name: Field }) & string)[] },
): Kind {
  const fields = { name: name(200), ...kind.fields, ...base, ...kind.fields }
  return { apiEndpoint: `/cidoc/${kind.segment}/`, record: true, nameField: 'name', ...kind, fields }
}
