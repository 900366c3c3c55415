import type { Sharp } from 'sharp'
import { readPdfPages } from '../ocr/index.ts'

const LONGEST_SIDE = 480
const MOST_PIXELS = 100_000_000
const PDF_SECONDS = 20

/** A small picture of an image, upright, without any of its metadata, as WebP; undefined when it cannot be unpacked. */
export async function makeThumbnail(bytes: Uint8Array): Promise<Uint8Array | undefined> {
  const { default: sharp } = await import('sharp')
  return small(sharp(bytes, { limitInputPixels: MOST_PIXELS, failOn: 'error', sequentialRead: true }).autoOrient())
}

/** The first page of a PDF as such a picture; undefined when it cannot be drawn. */
export async function makePdfThumbnail(bytes: Uint8Array): Promise<Uint8Array | undefined> {
  const wanted = { texts: 0, images: 1, side: 2 * LONGEST_SIDE, gray: false }
  const [page] = (await readPdfPages(bytes, wanted, PDF_SECONDS))?.images ?? []
  if (!page) return undefined
  const { pixels, width, height } = page
  const { default: sharp } = await import('sharp')
  return small(sharp(pixels, { raw: { width, height, channels: 4 } }))
}

const small = (image: Sharp): Promise<Uint8Array | undefined> =>
  image
    .resize(LONGEST_SIDE, LONGEST_SIDE, { fit: 'inside', withoutEnlargement: true })
    .webp({ quality: 78 })
    .timeout({ seconds: 30 })
    .toBuffer()
    .catch(() => undefined)
