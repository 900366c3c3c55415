import * as v from 'valibot'
import { defineItem } from '../../engines/table/index.ts'
import { key } from '../../platform/table/keys.ts'
import { storedOwnership } from '../../platform/users/users.ts'
import type { Picture } from '../kinds/index.ts'
import { isPicture } from '../names/text.ts'
import type { Values } from '../names/values.ts'

/** The field of every kind that holds pictures. */
export const IMAGES = 'images'

/** Returns the stored pictures among the values of a record. */
export const picturesIn = (values: Values | null | undefined): Picture[] =>
  Array.isArray(values?.[IMAGES]) ? values[IMAGES].filter(isPicture) : []

const nullableText = v.optional(v.nullable(v.string()), null)

/** The facts of an image, known once its file is stored. Width and height are those of the upright image, in pixels. */
const ImageFacts = v.object({
  content_type: v.string(),
  width: v.number(),
  height: v.number(),
  size: v.number(),
  sha256: v.string(),
})
export type ImageFacts = v.InferOutput<typeof ImageFacts>

/** The file of a picture, from its announcement on. The item is written before the object, so the sweeper finds every object. */
export const PictureFile = v.object({
  id: v.string(),
  uploaded_by: v.string(),
  ownership: storedOwnership,
  file_name: v.string(),
  /** The client's announcement. Size in bytes. */
  announced: v.object({ size: v.number(), content_type: v.string(), sha256: nullableText }),
  /** The object key under which the client posts the file. Null when it came with the request, and once it is stored. */
  pending_key: nullableText,
  /** Null until the file is stored. */
  facts: v.nullable(ImageFacts),
  /** The end of the lease to complete or delete it. Null if it is free. */
  held_until: nullableText,
  /** The time from which the sweeper deletes it. Null once a record names it. */
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
export const pictureObjectKey = (id: string): string => `pictures/${id}`
