import * as v from 'valibot'
import { later } from '../clock.ts'
import { defineItem, putAlways, type Write } from '../table/item.ts'
import { key } from '../table/keys.ts'

/** The folder of the bucket in which a merge keeps what was before it; noted before anything lies there, until it is looked through. */
const MergeFolder = v.object({
  /** Of the merge. */
  id: v.string(),
  project_id: v.string(),
  /** From then on it is looked through: by then nobody works on the merge any more, unless it goes on by itself. */
  until: v.string(),
  version: v.number(),
})
export type MergeFolder = v.InferOutput<typeof MergeFolder>

/** The index partition of all of them. */
export const FOLDERS = 'MERGE#FOLDER'
export const mergeFolder = defineItem({
  type: 'merge_folder',
  schema: MergeFolder,
  key: ({ id }: { id: string }) => key.mergeFolder(id),
  indexes: (it) => ({ gsi1: { pk: FOLDERS, sk: `${it.until}#${it.id}` } }),
})

/** Far longer than any function runs. */
const LIFETIME_S = 3600

/** The write that notes the folder of a merge that begins, or that has just come to its end. */
export const noteFolder = (it: { id: string; project_id: string }): Write =>
  putAlways(mergeFolder, { id: it.id, project_id: it.project_id, until: later(LIFETIME_S), version: 1 })
