import { now } from '../../base/clock.ts'
import { isDone } from '../../base/errors.ts'
import { importItem } from '../../domain/imports/items.ts'
import { projectSnapshot } from '../../domain/projects/items.ts'
import { readRecords, readSnapshot, storeRecords, storeSnapshot } from '../../domain/projects/snapshots.ts'
import { deleteObject, listKeys, markLoose } from '../../engines/bucket/index.ts'
import { commitWrites } from '../../engines/table/immediate.ts'
import { parse, put, type Stored, withNextVersion } from '../../engines/table/index.ts'
import { type Former, scrubValue } from './scrub.ts'

/** Copies outside of the table: files that a person sent, and snapshots that name the person. */

/**
 * Clears an import of one of these people: replaces its file name, and marks its files so that the sweeper deletes them within minutes.
 * Returns whether this was still to do.
 */
export async function clearImport(stored: Stored, former: Former): Promise<boolean> {
  if (stored.type !== importItem.type || !former.has(String(stored.contributor_id))) return false
  const it = parse(importItem, stored)
  const file_name = `table.${it.format}`
  const isCleared = it.file_name === file_name && (it.files_until === null || it.files_until <= now())
  if (isCleared) return false
  const files_until = it.files_until && now()
  await isDone(commitWrites([put(importItem, withNextVersion(it, { file_name, files_until }), it)]))
  return true
}

/** Deletes all profile pictures of a person, and all files with the person's data. */
export async function clearOwnFiles(user_id: string): Promise<void> {
  for (const key of await listKeys(`profile-images/${user_id}/`)) await deleteObject(key)
  for (const key of await listKeys(`account-exports/${user_id}/`)) await deleteObject(key)
}

/** The most parts of a snapshot that one transaction replaces, since it holds 100 writes. The next pass replaces the others. */
const MOST_REPLACED = 90

/**
 * Takes names out of the snapshot from which a rollback restores a merge. Stores changed objects anew under their digests, and deletes the
 * former objects. If the process dies before that, the sweeper deletes them. Returns whether the snapshot named one of these people. Calls:
 * a few, one for each part of the merge, and two more for each part that changes.
 */
export async function scrubSnapshot(stored: Stored, former: Former): Promise<boolean> {
  const item = parse(projectSnapshot, stored)
  const merge = /^snapshots\/([^/]+)\//.exec(item.object_key)?.[1]
  const snapshot = merge === undefined ? undefined : await readSnapshot(item)
  if (merge === undefined || !snapshot) return false
  const replaced: string[] = []
  const parts: typeof snapshot.parts = []
  for (const part of snapshot.parts) {
    const records = replaced.length < MOST_REPLACED ? await readRecords(part) : []
    const next = scrubValue(records, former)
    parts.push(next === records ? part : await storeRecords(merge, next))
    if (next !== records) replaced.push(part.object_key)
  }
  const next = scrubValue(snapshot, former)
  if (replaced.length === 0 && next === snapshot) return false
  const whole = await storeSnapshot(merge, { ...next, parts })
  const gone = [...replaced, item.object_key]
  const marks = gone.map((key) => markLoose(key))
  const isOurs = await isDone(commitWrites([put(projectSnapshot, withNextVersion(item, whole), item), ...marks]))
  if (isOurs) for (const key of gone) await deleteObject(key)
  return true
}
