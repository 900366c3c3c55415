import { now } from '../clock.ts'
import { isDone } from '../errors.ts'
import { deleteObject, getObject, keysUnder } from '../files/blobs.ts'
import { parse, remove } from '../table/item.ts'
import { key } from '../table/keys.ts'
import { get, queryAll, walk } from '../table/read.ts'
import { transact } from '../table/write.ts'
import { projectSnapshot } from './items.ts'
import { FOLDERS, type MergeFolder, mergeFolder } from './merge-folder.ts'
import { findJob } from './merge-job.ts'
import { folderOf, readSnapshot } from './snapshots.ts'

/** Merges in one visit of the sweeper. */
const MOST = 100

/**
 * Looks through the folders of merges that have ended: what a merge that stands goes back to stays; what was kept and not come
 * to, or by a merge that was called off, goes. Answers how many folders; safe to run twice at once.
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
  // After the job: whoever ends a job gives those who worked on it with him the time to end.
  const it = await get(mergeFolder, { id })
  if (!it || it.until > now()) return false
  const folder = folderOf(id)
  const kept = await keptIn(folder, project_id)
  for (const each of await keysUnder(folder)) if (!kept.has(each)) await deleteObject(each)
  return isDone(transact([remove(mergeFolder, it)]))
}

/** What a merge needs of its folder to be rolled back; nothing where it was called off. Fails where the state before it is gone. */
async function keptIn(folder: string, project: string): Promise<Set<string>> {
  const items = await queryAll(key.project(project).pk, 'SNAPSHOT#')
  const own = items.map((item) => parse(projectSnapshot, item)).find((it) => it.object_key.startsWith(folder))
  if (!own) return new Set()
  const snapshot = await readSnapshot(reader, own)
  if (!snapshot) throw new Error(`${own.object_key} is gone`)
  return new Set([own.object_key, ...snapshot.parts.map((it) => it.object_key)])
}

const reader = { read: async (name: string) => (await getObject(name))?.bytes }
