import * as v from 'valibot'
import * as s from '../../base/shapes.ts'
import type { Picture } from '../kinds/index.ts'
import type { PictureFile } from './items.ts'

/** The longer side of a thumbnail, in pixels. */
const THUMBNAIL = 400

/** The id of an image in the Image API: the record (or project) that shows it, a dot, and its file. */
const imageId = (owner: string, file: string): string => `${owner}.${file}`
/** The path of an image in the Image API. */
export const imagePathOf = (id: string): string => `/data/iiif/${id}`
export const imagePath = (owner: string, file: string): string => imagePathOf(imageId(owner, file))

export type Size = { width: number; height: number }

/** The size of an image scaled down to fit into a square with this side. Images are never enlarged. */
export function fitInto({ width, height }: Size, side: number): Size {
  const scale = Math.min(1, side / Math.max(width, height))
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) }
}

/** The path of the image in exactly this size, as JPEG. */
export const sizedPath = (base: string, { width, height }: Size): string =>
  `${base}/full/${width},${height}/0/default.jpg`

/** The thumbnail of an image, with its size. */
export function thumbnailAt(base: string, size: Size): Size & { url: string } {
  const small = fitInto(size, THUMBNAIL)
  return { url: sizedPath(base, small), ...small }
}

/** The picture that stands for the record. */
export const faceOf = (pictures: readonly Picture[]): Picture | undefined => pictures.find(({ face }) => face)

const maybeText = () => v.nullable(s.text)
/**
 * A picture of a record. `iiif` is the base of the IIIF Image API for it: `{iiif}/info.json`,
 * `{iiif}/full/1200,/0/default.jpg`. Addresses are paths without host.
 */
export const PictureView = s.shape('Picture', () =>
  v.object({
    id: s.uuid,
    caption: s.text,
    creator: s.text,
    licence: s.text,
    date: s.text,
    face: v.boolean(),
    width: s.whole,
    height: s.whole,
    media_type: s.text,
    iiif: s.text,
    thumbnail: v.object({ url: s.text, width: s.whole, height: s.whole }),
  }),
)
/** The picture that stands for a record. */
export const PictureFaceView = s.shape('PictureFace', () => {
  const { iiif, width, height, thumbnail } = PictureView.entries
  return v.object({ iiif, width, height, thumbnail })
})

/** The pictures of a record in answers. `owner` is its review identity. Addresses are paths without host. */
export function picturesView(owner: string, pictures: readonly Picture[]): s.Output<typeof PictureView>[] {
  return pictures.map((it) => {
    const iiif = imagePath(owner, it.id)
    const size = { width: it.width ?? 0, height: it.height ?? 0 }
    return {
      id: it.id,
      caption: it.caption ?? '',
      creator: it.creator ?? '',
      licence: it.licence ?? '',
      date: it.date ?? '',
      face: it.face === true,
      ...size,
      media_type: it.media_type ?? '',
      iiif,
      thumbnail: thumbnailAt(iiif, size),
    }
  })
}

/** A file that was sent or announced. It is deleted at `expires_at`, unless a contribution names it before. */
export const PictureFileView = s.shape('PictureFile', () =>
  v.object({
    id: s.uuid,
    file_name: s.text,
    state: s.oneOf(['announced', 'ready', 'in_use']),
    content_type: s.text,
    size: s.whole,
    width: v.nullable(s.whole),
    height: v.nullable(s.whole),
    sha256: maybeText(),
    expires_at: v.nullable(s.time),
    created_at: s.time,
  }),
)

/** A file as its uploader sees it. */
export const fileView = (it: PictureFile): s.Output<typeof PictureFileView> => ({
  id: it.id,
  file_name: it.file_name,
  state: it.facts === null ? 'announced' : it.until === null ? 'in_use' : 'ready',
  content_type: it.facts?.content_type ?? it.announced.content_type,
  size: it.facts?.size ?? it.announced.size,
  width: it.facts?.width ?? null,
  height: it.facts?.height ?? null,
  sha256: it.facts?.sha256 ?? null,
  expires_at: it.until,
  created_at: it.created_at,
})
