import * as v from 'valibot'
import { later } from '../../base/clock.ts'
import { defineItem, putAlways, type Write } from '../../engines/table/index.ts'
import { key } from '../../platform/table/keys.ts'

/**
 * The folder of the bucket in which a merge stores the state before it. This item is written before the first object. It stays
 * until the sweeper has cleared the folder.
 */
const MergeFolder = v.object({
  /** The id of the merge. */
  id: v.string(),
  project_id: v.string(),
  /** The time from which the sweeper may clear it. By then only a background job may still work on the merge. */
  until: v.string(),
  version: v.number(),
})
export type MergeFolder = v.InferOutput<typeof MergeFolder>

/** The index partition of all folders. */
export const FOLDERS = 'MERGE#FOLDER'
export const mergeFolder = defineItem({
  type: 'merge_folder',
  schema: MergeFolder,
  key: ({ id }: { id: string }) => key.mergeFolder(id),
  indexes: (it) => ({ gsi1: { pk: FOLDERS, sk: `${it.until}#${it.id}` } }),
})

/** Seconds until a folder may be cleared, far longer than any function runs. */
const LIFETIME_S = 3600

/** Returns the write that stores a folder: when its merge begins, and again when a background merge ends. */
export const noteFolder = (it: { id: string; project_id: string }): Write =>
  putAlways(mergeFolder, { id: it.id, project_id: it.project_id, until: later(LIFETIME_S), version: 1 })
