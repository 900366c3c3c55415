import { now } from '../../base/clock.ts'
import { isDone } from '../../base/errors.ts'
import { deleteObject, listKeys } from '../../engines/bucket/index.ts'
import { commitWrites } from '../../engines/table/immediate.ts'
import { get, parse, queryAll, remove, walk } from '../../engines/table/index.ts'
import { key } from '../../platform/table/keys.ts'
import { projectSnapshot } from './items.ts'
import { FOLDERS, type MergeFolder, mergeFolder } from './merge-folder.ts'
import { findJob } from './merge-job.ts'
import { folderOf, readSnapshot } from './snapshots.ts'

/** The most folders that one visit of the sweeper clears. */
const FOLDERS_PER_VISIT = 100

/**
 * Clears the folders of merges that have ended. Objects that a rollback would need stay. Objects of merges that were called off,
 * and of parts that were planned twice, are deleted. Returns the number of cleared folders. Safe to run twice at once.
 */
export async function sweepMerges(): Promise<number> {
  const oldest = await walk({ index: 'gsi1', pk: FOLDERS, forward: true, limit: FOLDERS_PER_VISIT })
  let cleared = 0
  for (const it of oldest.map((item) => parse(mergeFolder, item)))
    if (it.until <= now() && (await clearFolder(it))) cleared += 1
  return cleared
}

async function clearFolder({ id, project_id }: MergeFolder): Promise<boolean> {
  if ((await findJob(project_id))?.id === id) return false
  // Read after the job, because the end of a job moves `until` ahead: other workers of the job may still be writing.
  const current = await get(mergeFolder, { id })
  if (!current || current.until > now()) return false
  const folder = folderOf(id)
  const needed = await neededKeys(folder, project_id)
  for (const objectKey of await listKeys(folder)) if (!needed.has(objectKey)) await deleteObject(objectKey)
  return isDone(commitWrites([remove(mergeFolder, current)]))
}

/** The keys of the objects that a rollback of this merge needs. None if the merge was called off. Fails if the snapshot is missing. */
async function neededKeys(folder: string, project: string): Promise<Set<string>> {
  const items = await queryAll(key.project(project).pk, 'SNAPSHOT#')
  const own = items.map((item) => parse(projectSnapshot, item)).find((it) => it.object_key.startsWith(folder))
  if (!own) return new Set()
  const snapshot = await readSnapshot(own)
  if (!snapshot) throw new Error(`${own.object_key} is gone`)
  return new Set([own.object_key, ...snapshot.parts.map((it) => it.object_key)])
}
