import * as v from 'valibot'
import { defineItem } from '../../../engines/table/index.ts'
import { key } from '../../../platform/table/keys.ts'
import { assetRoles, pictureOfAsset } from '../items.ts'

const text = v.optional(v.string(), '')

/** What the uploader says of a file. */
export const UploadInput = v.object({
  role: v.picklist(assetRoles),
  caption: text,
  version_label: text,
  source_institution: text,
  collection_name: text,
  language: text,
  ocr_language: text,
  copyright_note: text,
  ...pictureOfAsset,
})
export type UploadInput = v.InferOutput<typeof UploadInput>

/** An upload that is no asset yet. It names every object of the bucket before the object exists. */
export const Upload = v.object({
  ...UploadInput.entries,
  id: v.string(),
  project_id: v.string(),
  file_name: v.string(),
  /** What the client announced. For a form, it is known from the request. */
  size: v.number(),
  content_type: v.string(),
  sha256: v.nullable(v.string()),
  run_ocr: v.boolean(),
  uploaded_by: v.string(),
  /** Where the client puts the file; null if it came with the request. */
  pending_key: v.nullable(v.string()),
  /** The final objects, one for each attempt to complete the upload. */
  object_keys: v.array(v.string()),
  /** The end of the lease of whoever completes it. */
  held_until: v.nullable(v.string()),
  until: v.string(),
  created_at: v.string(),
  version: v.number(),
})
export type Upload = v.InferOutput<typeof Upload>
export const upload = defineItem({
  type: 'project_upload',
  schema: Upload,
  key: (it: { project_id: string; id: string }) => key.upload(it.project_id, it.id),
  indexes: (it) => ({ gsi1: { pk: 'UPLOAD', sk: `${it.until}#${it.id}` } }),
})

/** The asset that a file's number stands for. Older clients send the number. */
export const media = defineItem({
  type: 'media',
  schema: v.object({ media: v.number(), project_id: v.string(), asset_id: v.string(), version: v.literal(1) }),
  key: (it: { media: number }) => key.media(it.media),
})
