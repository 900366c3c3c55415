import { checkPixels, type Source, UnfitFile } from './formats/source.ts'

/**
 * Images of archives and telephones that browsers, or our checks of files, do not know. They are converted to PNG
 * without loss. Pixels and colour profile are kept, upright, and nothing else of the file.
 */

/**
 * The types that are converted, with their endings. Within sharp, libtiff reads TIFF, and libheif with AV1 reads AVIF.
 */
export const convertibleTypes = { 'image/tiff': ['tif', 'tiff'], 'image/avif': ['avif'] } as const
export type ConvertibleType = keyof typeof convertibleTypes

/** HEIC, as telephones write it, is packed by HEVC. Its decoder is under patents, and comes with no sharp. */
export const NO_HEIC =
  'HEIC images cannot be read here. Save the image as JPEG and send that; telephones do so when they are set to "most compatible".'
export const isHeicName = (name: string): boolean => /\.hei[cf]s?$/i.test(name)

const brands: Readonly<Record<string, ConvertibleType | 'image/heic'>> = {
  avif: 'image/avif',
  avis: 'image/avif',
  ...Object.fromEntries(
    ['heic', 'heix', 'heim', 'heis', 'hevc', 'hevx'].map((brand) => [brand, 'image/heic' as const]),
  ),
}

/** The convertible type that the first bytes show; undefined for any other. Fails with `UnfitFile` on HEIC. */
export function convertibleTypeOf(source: Source): ConvertibleType | undefined {
  const head = source.read(0, Math.min(64, source.size)).toString('latin1')
  if (/^(?:II[*+]\0|MM\0[*+])/.test(head)) return 'image/tiff'
  if (head.slice(4, 8) !== 'ftyp') return undefined
  // The main brand; after its version those that the file fits as well.
  const end = Math.min(head.length, head.charCodeAt(2) * 256 + head.charCodeAt(3))
  const told = Array.from({ length: Math.ceil((end - 8) / 4) }, (_, i) => brands[head.slice(8 + 4 * i, 12 + 4 * i)])
  const found = told.find((it) => it !== undefined)
  if (found === 'image/heic') throw new UnfitFile(NO_HEIC)
  return found
}

/** Converts an image to PNG. Fails with `UnfitFile` if it cannot be unpacked, is too large, or holds several images. */
export async function convertToPng(bytes: Uint8Array): Promise<Uint8Array> {
  // Loaded here, since most uploads need no conversion.
  const { default: sharp } = await import('sharp')
  const image = sharp(bytes, { limitInputPixels: false, failOn: 'error', sequentialRead: true })
  const { width, height, pages = 1 } = await image.metadata().catch(failUnpacked)
  checkPixels(width, height)
  if (pages > 1) throw new UnfitFile(`The file holds ${pages} images. Send each as a file of its own.`)
  return image
    .autoOrient()
    .keepIccProfile()
    .png({ compressionLevel: 6 })
    .timeout({ seconds: 20 })
    .toBuffer()
    .catch(failUnpacked)
}

const failUnpacked = (cause: unknown): never => {
  throw Object.assign(new UnfitFile('The image cannot be unpacked.'), { cause })
}
