import * as v from 'valibot'
import { defineItem } from '../../engines/table/index.ts'
import { key } from '../../platform/table/keys.ts'

const nullableText = v.optional(v.nullable(v.string()), null)

/** What is known of an image once its file is stored. Width and height are in pixels, of the upright image. */
const Facts = v.object({
  content_type: v.string(),
  width: v.number(),
  height: v.number(),
  size: v.number(),
  sha256: v.string(),
})
export type Facts = v.InferOutput<typeof Facts>

/** The file of a picture, from its announcement on. The item is written before the object, so the sweeper finds every object. */
export const PictureFile = v.object({
  id: v.string(),
  uploaded_by: v.string(),
  file_name: v.string(),
  /** What the client announced. Size in bytes. */
  announced: v.object({ size: v.number(), content_type: v.string(), sha256: nullableText }),
  /** The object key under which the client posts the file. Null when it came with the request, and once it is stored. */
  pending_key: nullableText,
  /** Null until the file is stored. */
  facts: v.nullable(Facts),
  /** When the lease to complete or delete it ends. Null where nobody holds one. */
  held_until: nullableText,
  /** When the sweeper deletes it. Null once a record names it. */
  until: nullableText,
  created_at: v.string(),
  version: v.number(),
})
export type PictureFile = v.InferOutput<typeof PictureFile>

/** The index partition of the files that no record names. */
export const UNNAMED = 'PICTURE'
export const pictureFile = defineItem({
  type: 'picture_file',
  schema: PictureFile,
  key: ({ id }: { id: string }) => key.picture(id),
  indexes: (it) => (it.until === null ? {} : { gsi1: { pk: UNNAMED, sk: `${it.until}#${it.id}` } }),
})

/** The object key of a stored file. */
export const objectKey = (id: string): string => `pictures/${id}`
