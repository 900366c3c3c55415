import { clock } from '../../base/clock.ts'
import { Problem } from '../../base/errors.ts'
import { get, put, withNextVersion } from '../../engines/table/index.ts'
import { inUnit } from '../../platform/unit-of-work.ts'

import { type RecordItem, recordItem } from '../records/items.ts'
import { isWaiting, queueWrites } from '../records/queue-entry.ts'
import { ageAt } from '../records/rules/triage.ts'
import { overdueAt } from './queue-order.ts'

/** How many entries are moved at once, and at most in one visit. The next visit goes on. */
const AT_ONCE = 8
const MOST = 2000

/**
 * Moves entries that have come of age to their new lists. Safe to repeat and to interrupt. An entry that somebody else
 * changes meanwhile is left to the next visit. Returns how many were moved.
 */
export async function sweepQueue(): Promise<number> {
  const at = clock.now().getTime()
  const overdue = await overdueAt(at, MOST)
  let moved = 0
  for (let start = 0; start < overdue.length; start += AT_ONCE) {
    const batch = overdue.slice(start, start + AT_ONCE)
    const done = await Promise.all(batch.map((it) => move(it.entity_id, at)))
    moved += done.filter(Boolean).length
  }
  return moved
}

async function move(entity_id: string, at: number): Promise<boolean> {
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
