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

/** The entry of a kind in the contribution hub. A kind without an entry has no form there. */
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
  /** Part of stored ids: never change a code, and never use it twice. */
  readonly code: number
  readonly segment: string
  readonly apiEndpoint: string
  /** True: records have small integer ids under /cidoc/{segment}/. False: they have UUIDs only. */
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

/** Lists the fields that hold the names of a record, the main name first. */
export const nameFieldsOf = ({ nameField }: Kind): string[] => [nameField, 'name_ne', 'alternate_names']
/** Lists the fields by which a record can look like another: names, place, identifiers, and the era of a calendar. */
export const likenessFieldsOf = (kind: Kind): string[] => [
  ...nameFieldsOf(kind),
  'coordinates',
  'identifier',
  'same_as',
  'epoch_date_gregorian',
  'year_offset_from_gregorian',
]
/** The fields that describe a record in sentences. The first of them with a value is its summary. */
export const proseFields: readonly string[] = ['description', 'biography', 'note', 'route_description']

type Facts<F extends Record<string, Field>> = Omit<
  Kind,
  'apiEndpoint' | 'record' | 'fields' | 'search' | 'nameField'
> & {
  readonly fields: F
}

/** Declares a kind that lists all its fields. */
export function defineKind<F extends Record<string, Field>>(
  kind: Facts<F> & {
    readonly apiEndpoint?: string
    readonly nameField: keyof F & string
    readonly search: readonly (keyof F & string)[]
  },
): Kind {
  return { apiEndpoint: `/cidoc/${kind.segment}/`, record: false, ...kind }
}

/** Declares a kind with integer ids. It gets a name and the shared base fields; its own fields may replace them. */
export function defineRecordKind<F extends Record<string, Field>>(
  kind: Facts<F> & { readonly search: readonly (keyof (F & typeof base & { name: Field }) & string)[] },
): Kind {
  const fields = { name: name(200), ...kind.fields, ...base, ...kind.fields }
  return { apiEndpoint: `/cidoc/${kind.segment}/`, record: true, nameField: 'name', ...kind, fields }
}
