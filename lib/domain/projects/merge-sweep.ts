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

/** Folders in one visit of the sweeper. */
const MOST = 100

/**
 * Looks through the folders of merges that have ended. Objects that a rollback would need stay. Objects of merges that were
 * called off, and of parts planned twice, are deleted. Returns how many folders it cleared. Safe to run twice at once.
 */
export async function sweepMerges(): Promise<number> {
  const oldest = await walk({ index: 'gsi1', pk: FOLDERS, forward: true, limit: MOST })
  let cleared = 0
  for (const it of oldest.map((item) => parse(mergeFolder, item)))
    if (it.until <= now() && (await clear(it))) cleared += 1
  return cleared
}

async function clear({ id, project_id }: MergeFolder): Promise<boolean> {
  if ((await findJob(project_id))?.id === id) return false
  // Read after the job. Whoever ends a job moves `until` ahead, so that other workers of the job can end too.
  const it = await get(mergeFolder, { id })
  if (!it || it.until > now()) return false
  const folder = folderOf(id)
  const kept = await neededKeys(folder, project_id)
  for (const each of await listKeys(folder)) if (!kept.has(each)) await deleteObject(each)
  return isDone(commitWrites([remove(mergeFolder, it)]))
}

/** The objects that a rollback of this merge needs; none if it was called off. Fails if the snapshot is gone. */
async function neededKeys(folder: string, project: string): Promise<Set<string>> {
  const items = await queryAll(key.project(project).pk, 'SNAPSHOT#')
  const own = items.map((item) => parse(projectSnapshot, item)).find((it) => it.object_key.startsWith(folder))
  if (!own) return new Set()
  const snapshot = await readSnapshot(own)
  if (!snapshot) throw new Error(`${own.object_key} is gone`)
  return new Set([own.object_key, ...snapshot.parts.map((it) => it.object_key)])
}
