import { audienceOf, openTier } from '../../base/visibility.ts'
import { walk } from '../../engines/table/index.ts'
import { maySee } from '../../platform/permissions.ts'
import { isRecordKey, type KindKey } from '../kinds/index.ts'
import { entityCategory } from '../kinds/schema/enums.ts'
import { type LoadedRecord, listingKindOf, listsOf } from './items.ts'
import { loadRecordById } from './load.ts'

/** How many records are loaded at a time. */
const BATCH = 20

/**
 * Every record of a kind that everyone may read, with its claims, in batches, oldest first. The index may be behind, so each
 * record is read again. A record that is no longer public is left out.
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
