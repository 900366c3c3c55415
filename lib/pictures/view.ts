import type { Picture } from '../kinds/index.ts'
import type { PictureFile } from './items.ts'

/** The longer side of a thumbnail in pixels. */
const THUMBNAIL = 400

/** What an image is called by the Image API: the record (or project) that shows it, and its file. */
const imageId = (owner: string, file: string): string => `${owner}.${file}`
/** Where it answers, as an address of this service without its host. */
export const imagePathOf = (id: string): string => `/data/iiif/${id}`
export const imagePath = (owner: string, file: string): string => imagePathOf(imageId(owner, file))

export type Size = { width: number; height: number }

/** The size of an image that is made to fit into a square, never larger than it is. */
export function fitting({ width, height }: Size, side: number): Size {
  const scale = Math.min(1, side / Math.max(width, height))
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) }
}

/** Where an image of exactly this size is answered as a JPEG. */
export const sizedPath = (base: string, { width, height }: Size): string =>
  `${base}/full/${width},${height}/0/default.jpg`

/** A small image for lists, with its size. */
export function thumbnailAt(base: string, size: Size): Size & { url: string } {
  const small = fitting(size, THUMBNAIL)
  return { url: sizedPath(base, small), ...small }
}

/** Which of the pictures stands for the record. */
export const faceOf = (pictures: readonly Picture[]): Picture | undefined => pictures.find(({ face }) => face)

/** The pictures of a record as answers show them; `owner` is its review identity. Addresses begin at the service's own. */
export function picturesView(owner: string, pictures: readonly Picture[]): Record<string, unknown>[] {
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

/** A file as whoever has sent it sees it. */
export const fileView = (it: PictureFile): Record<string, unknown> => ({
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
