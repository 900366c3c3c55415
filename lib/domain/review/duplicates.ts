import { put, type Write } from '../../engines/table/index.ts'
import type { Actor } from '../../platform/permissions.ts'
import { loadFlagsOn } from '../records/conflict-flags.ts'
import { flag, type RecordItem, withFlagAudience } from '../records/items.ts'
import { headWrites, settledFlag, withFlagCounts } from './flags.ts'

/** The writes that resolve the open flags `suspected_duplicate` between these records. One call for each record. */
export async function settleDuplicates(records: readonly RecordItem[], actor: Actor): Promise<Write[]> {
  const ids = records.map(({ entity_id }) => entity_id)
  return (await Promise.all(records.map((about) => settle(about, ids, actor)))).flat()
}

async function settle(about: RecordItem, others: readonly string[], actor: Actor): Promise<Write[]> {
  const open = (await loadFlagsOn(about.entity_id)).filter(
    (it) => it.flag_type === 'suspected_duplicate' && !it.is_resolved && others.includes(it.other_entity_id ?? ''),
  )
  if (open.length === 0) return []
  const settled = open.map((it) => ({ it, next: settledFlag(it, actor) }))
  const counted = settled.reduce((head, { it, next }) => withFlagCounts(head, it, next), about)
  const next = { ...counted, version: about.version + 1 }
  return [
    ...settled.map(({ it, next: changed }) => put(flag, withFlagAudience(changed, next), it)),
    ...headWrites(about, next),
  ]
}
