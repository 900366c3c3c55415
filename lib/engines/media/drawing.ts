import type { Sharp } from 'sharp'

/** The most pixels of an image that is decoded. */
const MOST_PIXELS = 100_000_000

/**
 * The drawing to make from an image: a region in pixels of the upright image, scaled to a size, mirrored, and rotated
 * by `degrees` clockwise.
 */
export type Drawing = {
  /** Undefined for the whole image, which is then decoded at no larger size than necessary. */
  region: { left: number; top: number; width: number; height: number } | undefined
  width: number
  height: number
  mirrored: boolean
  degrees: number
  quality: 'default' | 'color' | 'gray' | 'bitonal'
  format: 'jpg' | 'png' | 'webp'
}

/** The image cannot be decoded. */
export class Undrawable extends Error {}

/** Draws an image upright, without its metadata. Fails with `Undrawable` if it cannot be decoded. */
export async function drawImage(bytes: Uint8Array, drawing: Drawing): Promise<Uint8Array> {
  const { region, width, height, mirrored, degrees, quality, format } = drawing
  // Imported here, so that the start of a function and answers without a drawing do not wait for it.
  const { default: sharp } = await import('sharp')
  const image = sharp(bytes, { limitInputPixels: MOST_PIXELS, sequentialRead: true, failOn: 'error' }).autoOrient()
  if (region) image.extract(region)
  image.resize(width, height, { fit: 'fill' })
  if (mirrored) image.flop()
  if (degrees % 360 !== 0) image.rotate(degrees, { background: format === 'jpg' ? '#ffffff' : '#ffffff00' })
  if (quality === 'gray') image.grayscale()
  if (quality === 'bitonal') image.threshold()
  // JPEG has no transparency.
  if (format === 'jpg') image.flatten({ background: '#ffffff' })
  return encodings[format](image).timeout({ seconds: 25 }).toBuffer().catch(undrawable)
}

function undrawable(cause: unknown): never {
  throw new Undrawable('The image cannot be unpacked.', { cause })
}

const encodings: Readonly<Record<Drawing['format'], (image: Sharp) => Sharp>> = {
  jpg: (image) => image.jpeg({ quality: 82 }),
  png: (image) => image.png({ compressionLevel: 6 }),
  webp: (image) => image.webp({ quality: 80 }),
}
