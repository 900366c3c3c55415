import type { Key } from '../table/index.ts'

/**
 * The keys of search's items: entries of the change log, its end, and the pointer to the snapshots. Also the indexes of a server, and the
 * lock of a rebuild.
 */
export const searchKey = {
  searchEntry: (number: number): Key => ({ pk: 'SEARCH#LOG', sk: String(number).padStart(12, '0') }),
  searchEnd: (): Key => ({ pk: 'SEARCH', sk: 'HEAD' }),
  searchSnapshot: (): Key => ({ pk: 'SEARCH', sk: 'SNAPSHOT' }),
  searchIndexes: (): Key => ({ pk: 'SEARCH', sk: 'INDEXES' }),
  searchRebuild: (): Key => ({ pk: 'SEARCH', sk: 'REBUILD' }),
}
