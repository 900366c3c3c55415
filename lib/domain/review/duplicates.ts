import { put, type Write } from '../../engines/table/index.ts'
import type { Actor } from '../../platform/permissions.ts'
import { loadFlagsOn } from '../records/conflict-flags.ts'
import { flag, type RecordItem, withFlagAudience } from '../records/items.ts'
import { headWrites, settledFlag, withFlagCounts } from './flags.ts'

/** The writes that resolve the open flags which say that two records look alike. Two calls. */
export async function settleDuplicates(pair: readonly [RecordItem, RecordItem], actor: Actor): Promise<Write[]> {
  const [one, other] = pair
  const settled = await Promise.all([settle(one, other, actor), settle(other, one, actor)])
  return settled.flat()
}

async function settle(about: RecordItem, other: RecordItem, actor: Actor): Promise<Write[]> {
  const open = (await loadFlagsOn(about.entity_id)).filter(
    (it) => it.flag_type === 'suspected_duplicate' && !it.is_resolved && it.other_entity_id === other.entity_id,
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
