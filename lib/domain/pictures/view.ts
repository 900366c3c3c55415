import * as v from 'valibot'
import * as s from '../../base/shapes.ts'
import type { Picture } from '../kinds/index.ts'
import type { PictureFile } from './items.ts'

/** The longer side of a thumbnail, in pixels. */
const THUMBNAIL_SIDE = 400

/** The id of an image in the Image API: the record (or project) that shows it, a dot, and its file. */
const imageId = (owner: string, file: string): string => `${owner}.${file}`
/** The path of an image in the Image API. */
export const imagePathOf = (id: string): string => `/data/iiif/${id}`
export const imagePath = (owner: string, file: string): string => imagePathOf(imageId(owner, file))

export type PixelSize = { width: number; height: number }

/** Returns the size of an image scaled down to fit into a square with this side, in pixels. Images are never enlarged. */
export function fitInto({ width, height }: PixelSize, side: number): PixelSize {
  const scale = Math.min(1, side / Math.max(width, height))
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) }
}

/** The path of the image in exactly this size, as JPEG. */
export const sizedPath = (base: string, { width, height }: PixelSize): string =>
  `${base}/full/${width},${height}/0/default.jpg`

/** Returns the path and size of the thumbnail of an image. `base` is the path of the image in the Image API. */
export function thumbnailAt(base: string, size: PixelSize): PixelSize & { url: string } {
  const small = fitInto(size, THUMBNAIL_SIDE)
  return { url: sizedPath(base, small), ...small }
}

/** Returns the picture that represents the record in lists. */
export const faceOf = (pictures: readonly Picture[]): Picture | undefined => pictures.find(({ face }) => face)

/** International licences only. A national version such as `CC-BY-3.0-DE` has no address here. */
const creativeCommons = /^CC-(BY(?:-NC)?(?:-(?:SA|ND))?)-(\d\.\d)$/

/** Returns the address of a licence for IIIF and linked data. Undefined if the licence has none. */
export function licenceAddress(licence: string): string | undefined {
  if (licence.startsWith('http')) return licence
  if (licence === 'CC0-1.0') return 'http://creativecommons.org/publicdomain/zero/1.0/'
  if (licence === 'CC-PDM-1.0') return 'http://creativecommons.org/publicdomain/mark/1.0/'
  const [, sort, version] = creativeCommons.exec(licence) ?? []
  return sort && `http://creativecommons.org/licenses/${sort.toLowerCase()}/${version}/`
}

/**
 * A picture of a record. `iiif` is its base path in the IIIF Image API: `{iiif}/info.json`,
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
/** The picture that represents a record in lists. */
export const PictureFaceView = s.shape('PictureFace', () => {
  const { iiif, width, height, thumbnail } = PictureView.entries
  return v.object({ iiif, width, height, thumbnail })
})

/** Shows the pictures of a record. `owner` is its review identity. Addresses are paths without host. */
export function picturesView(owner: string, pictures: readonly Picture[]): s.Output<typeof PictureView>[] {
  return pictures.map((picture) => {
    const iiif = imagePath(owner, picture.id)
    const size = { width: picture.width ?? 0, height: picture.height ?? 0 }
    return {
      id: picture.id,
      caption: picture.caption ?? '',
      creator: picture.creator ?? '',
      licence: picture.licence ?? '',
      date: picture.date ?? '',
      face: picture.face === true,
      ...size,
      media_type: picture.media_type ?? '',
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
    sha256: s.maybe(s.text),
    expires_at: v.nullable(s.time),
    created_at: s.time,
  }),
)

/** Shows a file to its uploader. */
export const fileView = (file: PictureFile): s.Output<typeof PictureFileView> => ({
  id: file.id,
  file_name: file.file_name,
  state: file.facts === null ? 'announced' : file.until === null ? 'in_use' : 'ready',
  content_type: file.facts?.content_type ?? file.announced.content_type,
  size: file.facts?.size ?? file.announced.size,
  width: file.facts?.width ?? null,
  height: file.facts?.height ?? null,
  sha256: file.facts?.sha256 ?? null,
  expires_at: file.until,
  created_at: file.created_at,
})
