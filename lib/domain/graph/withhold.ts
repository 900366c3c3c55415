import { splitIntoParts } from '../../base/concurrency.ts'
import { log } from '../../base/telemetry/log.ts'
import { commitWrites } from '../../engines/table/immediate.ts'
import { MOST_ACTIONS, parse, putEntry, type Write } from '../../engines/table/index.ts'
import { maySee } from '../../platform/permissions.ts'
import { key } from '../../platform/table/keys.ts'
import { type RecordItem, recordItem } from '../records/items.ts'

/**
 * Notes which records these writes have hidden, so that no graph shows them from the answer on. The projector takes them out of the graphs a
 * second later. Call it after the commit of the writes. One call for each hundred notes, none if nothing is hidden. A failure is only
 * logged, since the change itself is stored.
 */
export async function withholdFromGraph(writes: readonly Write[]): Promise<void> {
  const notes = writes.flatMap(notesOf)
  if (notes.length === 0) return
  await inParts(notes).catch((error: unknown) =>
    log({ level: 'error', message: 'graph', error: error instanceof Error ? error.name : 'unknown' }),
  )
}

async function inParts(notes: readonly Write[]): Promise<void> {
  for (const part of splitIntoParts(notes, MOST_ACTIONS)) await commitWrites(part)
}

function notesOf({ type, action, replaces }: Write): Write[] {
  if (type !== recordItem.type || !replaces) return []
  const old = parse(recordItem, replaces())
  const after = action.Put?.Item
  const next: RecordItem | undefined = after && parse(recordItem, after)
  const wasSeen = [maySee(null, old), !old.deleted_at]
  const isSeen = [next !== undefined && maySee(null, next), next !== undefined && !next.deleted_at]
  return (['reviewed', 'all'] as const)
    .filter((_, i) => wasSeen[i] && !isSeen[i])
    .map((scope) => putEntry(key.hiddenInGraph(scope, old.entity_id), { hidden: old.entity_id }))
}
