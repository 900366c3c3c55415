import type { Sharp } from 'sharp'
import { readPdfPages } from '../ocr/index.ts'

const LONGEST_SIDE = 480
const MOST_PIXELS = 100_000_000
const PDF_SECONDS = 20

/** Makes a thumbnail of an image as WebP, upright and without metadata. Undefined if the image cannot be decoded. */
export async function makeThumbnail(bytes: Uint8Array): Promise<Uint8Array | undefined> {
  const { default: sharp } = await import('sharp')
  return shrinkToWebp(
    sharp(bytes, { limitInputPixels: MOST_PIXELS, failOn: 'error', sequentialRead: true }).autoOrient(),
  )
}

/** Makes a thumbnail of the first page of a PDF, as WebP. Undefined if the page cannot be drawn. */
export async function makePdfThumbnail(bytes: Uint8Array): Promise<Uint8Array | undefined> {
  const firstPage = { texts: 0, images: 1, side: 2 * LONGEST_SIDE, gray: false }
  const [page] = (await readPdfPages(bytes, firstPage, PDF_SECONDS))?.images ?? []
  if (!page) return undefined
  const { pixels, width, height } = page
  const { default: sharp } = await import('sharp')
  return shrinkToWebp(sharp(pixels, { raw: { width, height, channels: 4 } }))
}

const shrinkToWebp = (image: Sharp): Promise<Uint8Array | undefined> =>
  image
    .resize(LONGEST_SIDE, LONGEST_SIDE, { fit: 'inside', withoutEnlargement: true })
    .webp({ quality: 78 })
    .timeout({ seconds: 30 })
    .toBuffer()
    .catch(() => undefined)
