import { clock } from '../../base/clock.ts'
import { mapAtOnce } from '../../base/concurrency.ts'
import { Problem } from '../../base/errors.ts'
import { get, put, withNextVersion } from '../../engines/table/index.ts'
import { inUnit } from '../../platform/unit-of-work.ts'

import { type RecordItem, recordItem } from '../records/items.ts'
import { isWaiting, queueWrites } from '../records/queue-entry.ts'
import { ageAt } from '../records/rules/triage.ts'
import { listOverdue } from './queue-order.ts'

const MOVED_AT_ONCE = 8
/** The most entries that one run moves. The next run continues. */
const MOST_MOVED = 2000

/**
 * Moves entries that have passed an age limit to the lists of their new age. Safe to repeat and to interrupt. An entry that
 * another writer changes at the same time is left for the next run. Returns the number of moved entries.
 */
export async function sweepQueue(): Promise<number> {
  const at = clock.now().getTime()
  const overdue = await listOverdue(at, MOST_MOVED)
  const moves = await mapAtOnce(overdue, MOVED_AT_ONCE, ({ entity_id }) => moveEntry(entity_id, at))
  return moves.filter((isMoved) => isMoved).length
}

async function moveEntry(entity_id: string, at: number): Promise<boolean> {
  const old = await get(recordItem, { entity_id })
  const queue_age = old && ageAt(old.created_at, at)
  if (!old || !queue_age || !isWaiting(old) || old.queue_age === queue_age) return false
  const next = withNextVersion<RecordItem>(old, { queue_age })
  try {
    await inUnit((unit) => unit.add([put(recordItem, next, old), ...queueWrites(old, next)]))
    return true
  } catch (error) {
    if (error instanceof Problem && (error.code === 'conflict' || error.code === 'unavailable')) return false
    throw error
  }
}
