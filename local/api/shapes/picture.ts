import * as v from 'valibot'
import { oneOf, text, time, uuid, whole } from './common.ts'

/** Pictures of records, and the files that become some. */

const maybeText = v.nullable(text)

/**
 * A picture of a record. `iiif` is the base of the IIIF Image API for it: `{iiif}/info.json`,
 * `{iiif}/full/1200,/0/default.jpg`. Addresses begin at the service's own.
 */
export const Picture = v.object({
  id: uuid,
  caption: text,
  creator: text,
  licence: text,
  date: text,
  face: v.boolean(),
  width: whole,
  height: whole,
  media_type: text,
  iiif: text,
  thumbnail: v.object({ url: text, width: whole, height: whole }),
})

/** The picture that stands for a record. */
export const PictureFace = v.pick(Picture, ['iiif', 'width', 'height', 'thumbnail'])

/** A file that has been sent, or is to be. It goes at `expires_at`, unless a contribution names it before. */
export const PictureFile = v.object({
  id: uuid,
  file_name: text,
  state: oneOf(['announced', 'ready', 'in_use']),
  content_type: text,
  size: whole,
  width: v.nullable(whole),
  height: v.nullable(whole),
  sha256: maybeText,
  expires_at: v.nullable(time),
  created_at: time,
})

export const AnnouncedPicture = v.object({
  id: uuid,
  upload: v.object({ url: text, fields: v.record(text, text), expires_at: time }),
})

const size = v.object({ width: whole, height: whole })
/** What the IIIF Image API 3.0 says of an image. */
export const ImageInfo = v.object({
  '@context': v.literal('http://iiif.io/api/image/3/context.json'),
  id: text,
  type: v.literal('ImageService3'),
  protocol: text,
  profile: v.literal('level2'),
  width: whole,
  height: whole,
  maxWidth: whole,
  maxHeight: whole,
  sizes: v.array(size),
  tiles: v.array(v.object({ width: whole, scaleFactors: v.array(whole) })),
  extraFormats: v.array(text),
  extraQualities: v.array(text),
  extraFeatures: v.array(text),
  rights: v.optional(text),
})

const words = v.record(text, v.array(text))
const pair = v.object({ label: words, value: words })
const imageService = v.object({ id: text, type: v.literal('ImageService3'), profile: v.literal('level2') })
const image = v.object({
  id: text,
  type: v.literal('Image'),
  format: text,
  width: whole,
  height: whole,
  service: v.array(imageService),
})
const annotation = v.object({
  id: text,
  type: v.literal('Annotation'),
  motivation: v.literal('painting'),
  target: text,
  body: image,
})
const canvas = v.object({
  id: text,
  type: v.literal('Canvas'),
  label: words,
  width: whole,
  height: whole,
  metadata: v.optional(v.array(pair)),
  requiredStatement: v.optional(pair),
  rights: v.optional(text),
  thumbnail: v.array(image),
  items: v.array(v.object({ id: text, type: v.literal('AnnotationPage'), items: v.array(annotation) })),
})
/** The pictures of a record or of a project, as IIIF Presentation 3.0 shows them to viewers. */
export const PictureManifest = v.object({
  '@context': v.literal('http://iiif.io/api/presentation/3/context.json'),
  id: text,
  type: v.literal('Manifest'),
  label: words,
  summary: v.optional(words),
  metadata: v.array(pair),
  thumbnail: v.array(image),
  seeAlso: v.array(v.object({ id: text, type: v.literal('Dataset'), format: text, label: words })),
  items: v.array(canvas),
})
