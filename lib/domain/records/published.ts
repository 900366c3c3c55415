import { audienceOf, openTier } from '../../base/visibility.ts'
import { walk } from '../../engines/table/index.ts'
import { maySee } from '../../platform/permissions.ts'
import { isRecordKey, type KindKey } from '../kinds/index.ts'
import { entityCategory } from '../kinds/schema/enums.ts'
import { type LoadedRecord, listingKindOf, listsOf } from './items.ts'
import { loadRecordById } from './load.ts'

const BATCH = 20

/**
 * Walks through every record of a kind that everyone may read, with its claims, oldest first. The index may lag, so
 * each record is read again, and dropped if it is no longer public.
 */
export async function* walkPublished(kind: KindKey): AsyncGenerator<LoadedRecord[]> {
  for (const sort of sortsOf(kind)) {
    let beyond: string | undefined
    for (;;) {
      const pk = listsOf.kind(sort, audienceOf(openTier))
      const items = await walk({ index: 'gsi1', pk, forward: true, limit: BATCH, beyond })
      const loaded = await Promise.all(items.map((item) => loadRecordById(String(item.entity_id))))
      const shown = loaded.flatMap((it) => (it && maySee(null, it) ? [it] : []))
      if (shown.length > 0) yield shown
      if (items.length < BATCH) break
      beyond = String(items.at(-1)?.gsi1_sk)
    }
  }
}

/** The list names of a kind. Cultural entities have one list for each category. Kinds that are no records have none. */
function sortsOf(kind: KindKey): string[] {
  if (kind === 'entity') return Object.keys(entityCategory.values).map((category) => listingKindOf(kind, category))
  return isRecordKey(kind) ? [kind] : []
}
