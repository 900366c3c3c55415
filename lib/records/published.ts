import { isRecordKey, type KindKey } from '../kinds/index.ts'
import { entityCategory } from '../kinds/schema/enums.ts'
import { audienceOf, maySee, openTier } from '../permissions.ts'
import { walk } from '../table/read.ts'
import { type Loaded, listsOf, sortOf } from './items.ts'
import { loadById } from './load.ts'

/** How many records are in memory at a time. */
const BATCH = 20

/**
 * Every record of a kind that is published for everyone, oldest first, with its assertions, in batches. The list may be
 * behind; each record is read as it is now, and left out when the public may not see it any more.
 */
export async function* publishedOf(kind: KindKey): AsyncGenerator<Loaded[]> {
  for (const sort of sortsOf(kind)) {
    let beyond: string | undefined
    for (;;) {
      const pk = listsOf.kind(sort, audienceOf(openTier))
      const items = await walk({ index: 'gsi1', pk, forward: true, limit: BATCH, beyond })
      const loaded = await Promise.all(items.map((item) => loadById(String(item.entity_id))))
      const shown = loaded.flatMap((it) => (it && maySee(null, it) ? [it] : []))
      if (shown.length > 0) yield shown
      if (items.length < BATCH) break
      beyond = String(items.at(-1)?.gsi1_sk)
    }
  }
}

/** The lists that hold a kind; kinds that are no records are in none. */
function sortsOf(kind: KindKey): string[] {
  if (kind === 'entity') return Object.keys(entityCategory.values).map((category) => sortOf(kind, category))
  return isRecordKey(kind) ? [kind] : []
}
