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
/** The key of a kind, by which all parts of the service name it. */
export type KindKey = RecordKey | (typeof uuidKeys)[number]

/** The keys of all kinds, in registry order. */
export const kindKeys: readonly KindKey[] = [...recordKeys, ...uuidKeys]
/** The kinds whose records are reviewed: all but claims, clusters and data sources. */
export const reviewedKinds: readonly KindKey[] = [...recordKeys, 'entity']
/** The keys of the kinds whose records have integer ids, in registry order. */
export const recordKinds: readonly RecordKey[] = recordKeys

/** Whether records of the kind have integer ids. Records of other kinds have UUIDs only. */
export function isRecordKey(key: string): key is RecordKey {
  return recordKeys.some((known) => known === key)
}

/** Returns the name of a kind in the API document. Example: TransferOfCustody. */
export const pascalCase = (key: string): string =>
  key.replace(/(^|_)(\w)/g, (_, __, letter: string) => letter.toUpperCase())
