const recordKeys = [
  'person',
  'location',
  'event',
  'tradition',
  'source',
  'deity',
  'guthi',
  'structure',
  'ritual',
  'festival',
  'production',
  'consecration',
  'enshrinement',
  'transfer_of_custody',
  'iconography',
  'monument',
  'kumari_tenure',
  'kumari_selection',
  'kumari_retirement',
  'syncretism',
  'caste_group',
  'calendar',
  'period',
] as const

const uuidKeys = ['assertion', 'entity_cluster', 'data_source', 'entity'] as const

/** A kind whose records have small integer ids. */
export type RecordKey = (typeof recordKeys)[number]
/** A registry key: what every other part of the service calls a kind. */
export type KindKey = RecordKey | (typeof uuidKeys)[number]

/** The keys of all kinds, in registry order. */
export const kindKeys: readonly KindKey[] = [...recordKeys, ...uuidKeys]
/** The keys of the kinds whose records have integer ids, in registry order. */
export const recordKinds: readonly RecordKey[] = recordKeys

/** True if records of the kind have integer ids; the others have UUIDs only. */
export function isRecordKey(key: string): key is RecordKey {
  return recordKeys.some((known) => known === key)
}
