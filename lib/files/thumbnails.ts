import sharp from 'sharp'

const LONGEST_SIDE = 480
const MOST_PIXELS = 100_000_000

/** A small picture of an image, upright, without any of its metadata, as WebP; undefined when it cannot be unpacked. */
export async function thumbnailOf(bytes: Uint8Array): Promise<Uint8Array | undefined> {
  try {
    return await sharp(bytes, { limitInputPixels: MOST_PIXELS, failOn: 'error', sequentialRead: true })
      .autoOrient()
      .resize(LONGEST_SIDE, LONGEST_SIDE, { fit: 'inside', withoutEnlargement: true })
      .webp({ quality: 78 })
      .timeout({ seconds: 30 })
      .toBuffer()
  } catch {
    return undefined
  }
}
