import { checkPixels, type Source, Unfit } from './media/source.ts'

/**
 * Images of archives and telephones that browsers or our checks of files do not know. They are drawn anew without loss, as
 * PNG: the pixels and their colour profile are kept, upright, and nothing else of the file.
 */

/** The types that are drawn anew, with their endings. Of what sharp brings, libtiff reads the one and libheif with AV1 the other. */
export const developed = { 'image/tiff': ['tif', 'tiff'], 'image/avif': ['avif'] } as const
export type Developed = keyof typeof developed

/** HEIC, as telephones write it, is packed by HEVC, whose decoder comes with no sharp: it is under patents. */
export const NO_HEIC =
  'HEIC images cannot be read here. Save the image as JPEG and send that; telephones do so when they are set to "most compatible".'
export const isHeicName = (name: string): boolean => /\.hei[cf]s?$/i.test(name)

const brands: Readonly<Record<string, Developed | 'image/heic'>> = {
  avif: 'image/avif',
  avis: 'image/avif',
  ...Object.fromEntries(
    ['heic', 'heix', 'heim', 'heis', 'hevc', 'hevx'].map((brand) => [brand, 'image/heic' as const]),
  ),
}

/** Which of them a file is by its first bytes; undefined for any other. Fails with `Unfit` on HEIC. */
export function developedType(source: Source): Developed | undefined {
  const head = source.read(0, Math.min(64, source.size)).toString('latin1')
  if (/^(?:II[*+]\0|MM\0[*+])/.test(head)) return 'image/tiff'
  if (head.slice(4, 8) !== 'ftyp') return undefined
  // The main brand, and after its version those that it fits as well.
  const end = Math.min(head.length, head.charCodeAt(2) * 256 + head.charCodeAt(3))
  const told = Array.from({ length: Math.ceil((end - 8) / 4) }, (_, i) => brands[head.slice(8 + 4 * i, 12 + 4 * i)])
  const found = told.find((it) => it !== undefined)
  if (found === 'image/heic') throw new Unfit(NO_HEIC)
  return found
}

/** The image anew as a PNG. Fails with `Unfit` where it cannot be unpacked, is too large, or is more than one. */
export async function develop(bytes: Uint8Array): Promise<Uint8Array> {
  // Most that comes in needs none of it.
  const { default: sharp } = await import('sharp')
  const image = sharp(bytes, { limitInputPixels: false, failOn: 'error', sequentialRead: true })
  const { width, height, pages = 1 } = await image.metadata().catch(refused)
  checkPixels(width, height)
  if (pages > 1) throw new Unfit(`The file holds ${pages} images. Send each as a file of its own.`)
  return image
    .autoOrient()
    .keepIccProfile()
    .png({ compressionLevel: 6 })
    .timeout({ seconds: 20 })
    .toBuffer()
    .catch(refused)
}

const refused = (cause: unknown): never => {
  throw Object.assign(new Unfit('The image cannot be unpacked.'), { cause })
}
