import { checkPixels, type Source, UnfitFile } from './formats/source.ts'

/**
 * The types that are converted to PNG, with their endings: images of archives and telephones which browsers or our
 * checks cannot read. Conversion keeps the pixels, upright, and the colour profile, and nothing else. `sharp` reads
 * TIFF by libtiff, and AVIF by libheif.
 */
export const convertibleTypes = { 'image/tiff': ['tif', 'tiff'], 'image/avif': ['avif'] } as const
export type ConvertibleType = keyof typeof convertibleTypes

/**
 * The refusal of HEIC, the format of many telephones. Its decoder (HEVC) is patented, so `sharp` does not include it.
 */
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

/** Finds the convertible type by the first bytes. Undefined for any other type. Fails with `UnfitFile` on HEIC. */
export function convertibleTypeOf(source: Source): ConvertibleType | undefined {
  const head = source.read(0, Math.min(64, source.size)).toString('latin1')
  if (/^(?:II[*+]\0|MM\0[*+])/.test(head)) return 'image/tiff'
  if (head.slice(4, 8) !== 'ftyp') return undefined
  // The main brand comes first. After its version come the other brands that the file is compatible with.
  const end = Math.min(head.length, head.charCodeAt(2) * 256 + head.charCodeAt(3))
  const brandTypes = Array.from(
    { length: Math.ceil((end - 8) / 4) },
    (_, i) => brands[head.slice(8 + 4 * i, 12 + 4 * i)],
  )
  const type = brandTypes.find((known) => known !== undefined)
  if (type === 'image/heic') throw new UnfitFile(NO_HEIC)
  return type
}

/** Converts an image to PNG. Fails with `UnfitFile` if it cannot be unpacked, is too large, or holds several images. */
export async function convertToPng(bytes: Uint8Array): Promise<Uint8Array> {
  // Imported here, since most uploads need no conversion.
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
