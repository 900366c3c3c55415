import * as v from 'valibot'
import { defineItem } from '../../table/item.ts'
import { key } from '../../table/keys.ts'
import { assetRoles, pictureOfAsset } from '../items.ts'

const text = v.optional(v.string(), '')

/** What whoever uploads says of a file. */
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

/** An upload that has not become an asset: every object that lies in the bucket for it is named here first. */
export const Upload = v.object({
  ...UploadInput.entries,
  id: v.string(),
  project_id: v.string(),
  file_name: v.string(),
  /** What the client has announced. Of a form everything is known when it comes. */
  size: v.number(),
  content_type: v.string(),
  sha256: v.nullable(v.string()),
  run_ocr: v.boolean(),
  uploaded_by: v.string(),
  /** Where the client puts the file; null when it came with the request. */
  pending_key: v.nullable(v.string()),
  /** Where what readers get has been put or is being put, by each try to complete it. */
  object_keys: v.array(v.string()),
  /** Until when somebody is completing it. */
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

/** The asset whose file has a number, by which older clients name it. */
export const media = defineItem({
  type: 'media',
  schema: v.object({ media: v.number(), project_id: v.string(), asset_id: v.string(), version: v.literal(1) }),
  key: (it: { media: number }) => key.media(it.media),
})
