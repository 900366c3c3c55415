import * as v from 'valibot'
import { defineItem } from '../table/item.ts'
import { key } from '../table/keys.ts'

const nullableText = v.optional(v.nullable(v.string()), null)

/** What is known of an image once its file is there: the size of the upright image in pixels. */
const Facts = v.object({
  content_type: v.string(),
  width: v.number(),
  height: v.number(),
  size: v.number(),
  sha256: v.string(),
})
export type Facts = v.InferOutput<typeof Facts>

/** A file that somebody has sent, or is sending, to be a picture. Its object is named here before it exists. */
export const PictureFile = v.object({
  id: v.string(),
  uploaded_by: v.string(),
  file_name: v.string(),
  /** What was announced: so many bytes, of this type. */
  announced: v.object({ size: v.number(), content_type: v.string(), sha256: nullableText }),
  /** Where the client puts the file; null when it came with the request. */
  pending_key: nullableText,
  /** Null until the file is there. */
  facts: v.nullable(Facts),
  /** Until when somebody is completing it. */
  held_until: nullableText,
  /** When it goes, as long as no record has named it; null once one has. */
  until: nullableText,
  created_at: v.string(),
  version: v.number(),
})
export type PictureFile = v.InferOutput<typeof PictureFile>

/** The index partition of the files that no record has named. */
export const UNNAMED = 'PICTURE'
export const pictureFile = defineItem({
  type: 'picture_file',
  schema: PictureFile,
  key: ({ id }: { id: string }) => key.picture(id),
  indexes: (it) => (it.until === null ? {} : { gsi1: { pk: UNNAMED, sk: `${it.until}#${it.id}` } }),
})

/** Where the file of a picture lies in the bucket. */
export const objectKey = (id: string): string => `pictures/${id}`
