import { audienceOf, openTier } from '../../base/visibility.ts'
import { walk } from '../../engines/table/index.ts'
import { maySee } from '../../platform/permissions.ts'
import { isRecordKey, type KindKey } from '../kinds/index.ts'
import { entityCategory } from '../kinds/schema/enums.ts'
import { type LoadedRecord, listingKindOf, listsOf } from './items.ts'
import { loadRecordById } from './load.ts'

const RECORDS_AT_ONCE = 20

/**
 * Walks through every record of a kind that everyone may read, with its claims, oldest first. The index may lag, so each
 * record is read again, and left out if it is no longer public.
 */
export async function* walkPublished(kind: KindKey): AsyncGenerator<LoadedRecord[]> {
  for (const name of listNamesOf(kind)) {
    let beyond: string | undefined
    for (;;) {
      const pk = listsOf.kind(name, audienceOf(openTier))
      const items = await walk({ index: 'gsi1', pk, forward: true, limit: RECORDS_AT_ONCE, beyond })
      const loaded = await Promise.all(items.map((item) => loadRecordById(String(item.entity_id))))
      const visible = loaded.flatMap((record) => (record && maySee(null, record) ? [record] : []))
      if (visible.length > 0) yield visible
      if (items.length < RECORDS_AT_ONCE) break
      beyond = String(items.at(-1)?.gsi1_sk)
    }
  }
}

/** Returns the names of a kind in lists. The kind `entity` has one for each category. Kinds that nobody reviews have none. */
function listNamesOf(kind: KindKey): string[] {
  if (kind === 'entity') return Object.keys(entityCategory.values).map((category) => listingKindOf(kind, category))
  return isRecordKey(kind) ? [kind] : []
}
