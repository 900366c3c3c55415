import * as v from 'valibot'
import { defineItem } from '../../../engines/table/index.ts'
import { key } from '../../../platform/table/keys.ts'
import { storedOwnership } from '../../../platform/users/users.ts'
import { assetRoles, pictureOfAsset } from '../items.ts'

const text = v.optional(v.string(), '')

/** The description of a file that the uploader sends. */
export const AssetUploadInput = v.object({
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
export type AssetUploadInput = v.InferOutput<typeof AssetUploadInput>

/** An upload that is not yet an asset. It names every object of the bucket before the object exists. */
export const AssetUpload = v.object({
  ...AssetUploadInput.entries,
  id: v.string(),
  project_id: v.string(),
  file_name: v.string(),
  /** The size that the client announced. For a form, the size of its file. */
  size: v.number(),
  content_type: v.string(),
  sha256: v.nullable(v.string()),
  run_ocr: v.boolean(),
  uploaded_by: v.string(),
  ownership: storedOwnership,
  /** The key to which the client posts the file. Null if it came with the request. */
  pending_key: v.nullable(v.string()),
  /** The final objects, one for each attempt to complete the upload. */
  object_keys: v.array(v.string()),
  /** The end of the lease to complete it. Null if no request has the lease. */
  held_until: v.nullable(v.string()),
  until: v.string(),
  created_at: v.string(),
  version: v.number(),
})
export type AssetUpload = v.InferOutput<typeof AssetUpload>
export const upload = defineItem({
  type: 'project_upload',
  schema: AssetUpload,
  key: (it: { project_id: string; id: string }) => key.upload(it.project_id, it.id),
  indexes: (it) => ({ gsi1: { pk: 'UPLOAD', sk: `${it.until}#${it.id}` } }),
})

/** The asset to which a file's number belongs. Older clients send the number. */
export const mediaNumber = defineItem({
  type: 'media',
  schema: v.object({ media: v.number(), project_id: v.string(), asset_id: v.string(), version: v.literal(1) }),
  key: (it: { media: number }) => key.media(it.media),
})
