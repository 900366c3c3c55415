import { now } from '../../base/clock.ts'
import { isConflict, isDone, noneIf } from '../../base/errors.ts'
import { commitWrites } from '../../engines/table/immediate.ts'
import { get, parse, put, walk, withNextVersion } from '../../engines/table/index.ts'
import { countWaiting } from './imports.ts'
import { type Import, importItem, importLists } from './items.ts'
import { deleteFolder } from './store.ts'

/** Closes batches without waiting rows, so that the queue no longer shows them. */
export async function closeBatches(): Promise<void> {
  const items = await walk({ index: 'gsi1', pk: importLists.batches, forward: true, limit: 100 })
  const ids = items.map((item) => parse(importItem, item).id)
  const waiting = await countWaiting(ids)
  for (const id of ids) {
    if ((waiting.get(id) ?? 0) > 0) continue
    const stored = await get(importItem, { id })
    // A task that is not over may add waiting rows.
    if (!stored?.open || stored.work || stored.state === 'running') continue
    await commitWrites([put(importItem, withNextVersion(stored, { open: false }), stored)]).catch(noneIf(isConflict))
  }
}

/** Deletes the files of imports whose `files_until` has passed, of 50 imports at most. Returns the number of these imports. Safe to repeat. */
export async function sweepImports(): Promise<number> {
  const oldest = await walk({ index: 'gsi4', pk: importLists.files, forward: true, limit: 50 })
  const due = oldest
    .map((item) => parse(importItem, item))
    .filter(({ files_until }) => files_until !== null && files_until <= now())
  let cleared = 0
  for (const { id } of due) if (await deleteFiles(id)) cleared += 1
  return cleared
}

/** Removes the names of the files from the import, then deletes the files. The import stays due until the last file is gone. */
async function deleteFiles(id: string): Promise<boolean> {
  const stored = await get(importItem, { id })
  if (!stored?.files_until || stored.files_until > now() || stored.work) return false
  const unnamed = withNextVersion<Import>(stored, { object_key: null, pending_key: null })
  const isOurs = await isDone(commitWrites([put(importItem, unnamed, stored)]))
  if (!isOurs) return false
  await deleteFolder(id)
  return isDone(commitWrites([put(importItem, withNextVersion<Import>(unnamed, { files_until: null }), unnamed)]))
}
