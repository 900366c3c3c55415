import { entityCategory } from '../kinds/enums.ts'
import { isRecordKey, type KindKey } from '../kinds/index.ts'
import { maySee } from '../permissions.ts'
import { walk } from '../table/read.ts'
import { listsOf, sortOf } from './record-items.ts'
import { type Loaded, loadById } from './records.ts'

/** So many records are in memory at a time. */
const BATCH = 20

/**
 * Every record of a kind that is published for everyone, oldest first, with its assertions, in batches. The list may be
 * behind; each record is read as it is now, and left out when the public may not see it any more.
 */
export async function* publishedOf(kind: KindKey): AsyncGenerator<Loaded[]> {
  for (const sort of sortsOf(kind)) {
    let beyond: string | undefined
    for (;;) {
      const pk = listsOf.kind(sort, 'published')
      const items = await walk({ index: 'kind', pk, forward: true, limit: BATCH, beyond })
      const loaded = await Promise.all(items.map((item) => loadById(String(item.entity_id))))
      const shown = loaded.flatMap((it) => (it && maySee(null, it) ? [it] : []))
      if (shown.length > 0) yield shown
      if (items.length < BATCH) break
      beyond = String(items.at(-1)?.kind_sk)
    }
  }
}

/** The lists that hold a kind; kinds that are no records are in none. */
function sortsOf(kind: KindKey): string[] {
  if (kind === 'entity') return Object.keys(entityCategory.values).map((category) => sortOf(kind, category))
  return isRecordKey(kind) ? [kind] : []
}
