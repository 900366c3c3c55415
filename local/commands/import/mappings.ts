import { type Kind, type KindKey, kinds } from '../../../lib/domain/kinds/index.ts'

/**
 * Where the members of a kind of row go. A member with the name of a field, or of its alias, is that field. Only other names are listed
 * here. A member that goes nowhere is reported, never dropped.
 */
export type Mapping = {
  readonly kind: KindKey
  /** From row members to fields. */
  readonly renamed: Readonly<Record<string, string>>
  /** The row members that hold the ids of the record that the row is about, and of the other record. */
  readonly ends?: { readonly subject: string; readonly object: string }
  /** Fields that the service sets itself. A row's value for them goes into a remark. */
  readonly own?: readonly string[]
}

const mappings: Readonly<Record<string, Mapping>> = {
  person: { kind: 'person', renamed: {} },
  location: { kind: 'location', renamed: {} },
  event: { kind: 'event', renamed: {} },
  tradition: { kind: 'tradition', renamed: {} },
  source: { kind: 'source', renamed: {} },
  deity: { kind: 'deity', renamed: {} },
  guthi: { kind: 'guthi', renamed: {} },
  structure: { kind: 'structure', renamed: { same_as_in_source: 'same_as' } },
  ritual: { kind: 'ritual', renamed: {} },
  festival: { kind: 'festival', renamed: {} },
  production: { kind: 'production', renamed: {} },
  consecration: { kind: 'consecration', renamed: {} },
  enshrinement: { kind: 'enshrinement', renamed: {} },
  transfer_of_custody: { kind: 'transfer_of_custody', renamed: {} },
  iconography: { kind: 'iconography', renamed: {} },
  monument: { kind: 'monument', renamed: { same_as_in_source: 'same_as' } },
  kumari_tenure: {
    kind: 'kumari_tenure',
    renamed: {
      embodied_deity_relation_hint: 'embodied_deity',
      residence_structure_relation_hint: 'residence_structure',
      supported_by_guthi_relation_hint: 'supported_by_institution',
    },
  },
  kumari_selection: {
    kind: 'kumari_selection',
    renamed: { initiated_tenure_relation_hint: 'initiated_tenure', took_place_at_relation_hint: 'took_place_at' },
  },
  kumari_retirement: {
    kind: 'kumari_retirement',
    renamed: { ended_tenure_of_relation_hint: 'ended_tenure_of', took_place_at_relation_hint: 'took_place_at' },
  },
  syncretic_relationship: { kind: 'syncretism', renamed: {} },
  caste_group: { kind: 'caste_group', renamed: {} },
  calendar_system: { kind: 'calendar', renamed: {} },
  period: { kind: 'period', renamed: {} },
  data_source: { kind: 'data_source', renamed: {} },
  cultural_entity: { kind: 'entity', renamed: {} },
  assertion: {
    kind: 'assertion',
    renamed: { name: 'assertion_content' },
    own: ['reconciliation_status'],
  },
  relationship: {
    kind: 'assertion',
    renamed: { name: 'assertion_content', predicate: 'asserted_property', object_name: 'asserted_value' },
    ends: { subject: 'subject_id', object: 'object_id' },
    own: ['reconciliation_status'],
  },
}

/** Members that say where a row comes from. They become the provenance of its values. */
export const provenance = [
  'source',
  'source_type',
  'source_url',
  'source_citation',
  'supporting_source',
  'assertion',
  'confidence',
  'confidence_score',
  'data_quality_note',
] as const

/** Members about the row, not about the thing. They go word for word into the note on data quality. */
export const bookkeeping: readonly string[] = [
  'name_script',
  'license',
  'license_url',
  'attribution',
  'redistributable',
  'share_alike',
  'kg_class',
  'fields_seen',
  'coordinates_raw',
  'construction_date_property_in_source',
  'privacy_note',
  'subject_kind',
  'subject_name',
  'object_kind',
  'unresolved',
]

/** Bookkeeping with an email address. The remark has only the part before the @. */
export const addresses: readonly string[] = ['contributed_by']

/** Kinds in the order in which they are sent: those that others name come first. */
const order: readonly KindKey[] = [
  'data_source',
  'period',
  'tradition',
  'location',
  'deity',
  'caste_group',
  'calendar',
  'guthi',
  'person',
  'structure',
  'monument',
  'iconography',
  'source',
  'ritual',
  'festival',
  'event',
  'production',
  'consecration',
  'enshrinement',
  'transfer_of_custody',
  'kumari_tenure',
  'kumari_selection',
  'kumari_retirement',
  'syncretism',
  'entity',
  'assertion',
]

/** The mapping of a kind of row, by the name in rows or by the key of the kind; undefined for an unknown name. */
export const spellingOf = (rowKind: string): Mapping | undefined =>
  Object.hasOwn(mappings, rowKind) ? mappings[rowKind] : Object.values(mappings).find((it) => it.kind === rowKind)

export const rankOf = (kind: KindKey): number => order.indexOf(kind)

/** The field for a member, which has the field's name or an alias. */
export function fieldOf(kind: Kind, member: string) {
  return Object.entries(kind.fields).find(([name, field]) => name === member || field.aliases.includes(member))?.[1]
}

/** The names of kinds in rows. */
export const rowKinds: readonly string[] = Object.keys(mappings)
export const kindOfRow = (mapping: Mapping): Kind => kinds[mapping.kind]

/** The name of the field for a member; the member itself if there is none. */
export const fieldNamed = (kind: Kind, member: string): string =>
  Object.entries(kind.fields).find(([name, field]) => name === member || field.aliases.includes(member))?.[0] ?? member
