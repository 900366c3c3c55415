import * as v from 'valibot'
import { later } from '../../base/clock.ts'
import { defineItem, putAlways, type Write } from '../../engines/table/index.ts'
import { key } from '../../platform/table/keys.ts'

/**
 * Notes the folder of the bucket in which a merge stores the state before it. The note is written before the first object, and
 * stays until the sweeper has looked through the folder.
 */
const MergeFolder = v.object({
  /** The id of the merge. */
  id: v.string(),
  project_id: v.string(),
  /** When the sweeper may look through it. By then nobody works on the merge, unless it runs in the background. */
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

/** Far longer than any function runs. */
const LIFETIME_S = 3600

/** Returns the write that notes a folder: when its merge begins, and again when a background merge ends. */
export const noteFolder = (it: { id: string; project_id: string }): Write =>
  putAlways(mergeFolder, { id: it.id, project_id: it.project_id, until: later(LIFETIME_S), version: 1 })
