import calculators from 'iiif-processor/calculator'
import { impossible } from '../../base/errors.ts'
import type { PixelSize } from '../../domain/pictures/view.ts'
import type { Drawing } from '../../engines/media/index.ts'

/** A request of the IIIF Image API 3.0, in the parts of its address. */
export type ImageRequest = { region: string; size: string; rotation: string; file: string }

/** The longest side of a drawing, in pixels. */
export const LONGEST_SIDE = 4096

export const qualities = ['default', 'color', 'gray', 'bitonal'] as const
export const imageFormats = ['jpg', 'png', 'webp'] as const

const whole = '\\d{1,6}'
const fraction = '\\d{1,6}(?:\\.\\d{1,10})?'
const forms = {
  region: new RegExp(
    `^(?:full|square|${whole},${whole},${whole},${whole}|pct:${fraction},${fraction},${fraction},${fraction})$`,
  ),
  size: new RegExp(`^\\^?(?:max|${whole},|,${whole}|pct:${fraction}|!?${whole},${whole})$`),
  rotation: new RegExp(`^!?${fraction}$`),
}

/**
 * Reads which drawing of an image of this size a request asks for. Fails with `invalid` and the reason if the request is malformed, or if
 * its region is outside the image.
 */
export function drawingOf(image: PixelSize, request: ImageRequest): Drawing {
  const [, quality = '', format = ''] = /^([^.]*)\.([^.]*)$/.exec(request.file) ?? []
  const look = {
    quality: choose(qualities, quality, 'quality'),
    format: choose(imageFormats, format, 'format'),
    ...turnOf(request.rotation),
  }
  if (!forms.region.test(request.region))
    throw impossible('The region is none. Ask for full, square, x,y,w,h or pct:x,y,w,h.')
  if (!forms.size.test(request.size))
    throw impossible('The size is none. Ask for max, w, or ,h or pct:n or w,h or !w,h, with ^ in front to enlarge.')
  const region = regionOf(image, request.region)
  const { width, height } = sizeOf(image, region, request)
  const isWhole = region.width === image.width && region.height === image.height
  return { ...look, region: isWhole ? undefined : region, width, height }
}

function choose<const Options extends readonly string[]>(
  options: Options,
  text: string,
  member: string,
): Options[number] {
  const option = options.find((it) => it === text)
  if (option === undefined)
    throw impossible(`There is no ${member} of this name. Choose one of: ${options.join(', ')}.`)
  return option
}

function turnOf(rotation: string): { mirrored: boolean; degrees: number } {
  const degrees = Number(rotation.replace('!', ''))
  if (!forms.rotation.test(rotation) || degrees > 360)
    throw impossible('The rotation is none. Ask for degrees from 0 to 360, with ! in front to mirror.')
  return { mirrored: rotation.startsWith('!'), degrees: degrees % 360 }
}

type Region = NonNullable<Drawing['region']>

function regionOf(image: PixelSize, text: string): Region {
  const region = replaceErrors(() => new calculators[3](image).region(text).info().region, NO_REGION)
  if (region.width < 1 || region.height < 1) throw impossible(NO_REGION)
  return region
}

const NO_REGION = 'The region lies beyond the image, or is empty.'
const NO_SIZE = 'The size is empty.'
const LARGER = 'The size is larger than the region. Ask for it with ^ in front.'

/** Runs the library's code and replaces its errors: by `LARGER` if it refuses to enlarge, else by `otherwise`. */
function replaceErrors<T>(work: () => T, otherwise: string): T {
  try {
    return work()
  } catch (error) {
    throw error instanceof Error ? impossible(/upscaling/.test(error.message) ? LARGER : otherwise) : error
  }
}

function sizeOf(image: PixelSize, region: Region, { region: part, size }: ImageRequest): PixelSize {
  const enlarges = size.startsWith('^')
  const plain = size.replace('^', '')
  if (plain === 'max') return fitInto(region, { width: LONGEST_SIDE, height: LONGEST_SIDE }, enlarges)
  const box = /^!(\d+),(\d+)$/.exec(plain)
  if (box) {
    const [width, height] = [Number(box[1]), Number(box[2])]
    if (width === 0 || height === 0) throw impossible(NO_SIZE)
    return fitInto(region, { width: Math.min(width, LONGEST_SIDE), height: Math.min(height, LONGEST_SIDE) }, enlarges)
  }
  if (plain.split(/[:,]/).some((number) => /\d/.test(number) && Number(number) === 0)) throw impossible(NO_SIZE)
  const { width, height } =
    oneSide(region, plain) ??
    replaceErrors(() => {
      const calculated = new calculators[3](image).region(part).size(size)
      // `info()` computes the side that the request leaves out, as in `100,`.
      const { size: found } = calculated.info()
      return { width: found.width ?? 0, height: found.height ?? 0 }
    }, NO_SIZE)
  if (width < 1 || height < 1) throw impossible(NO_SIZE)
  if (!enlarges && (width > region.width || height > region.height)) throw impossible(LARGER)
  if (width > LONGEST_SIDE || height > LONGEST_SIDE)
    throw impossible(`The size is larger than ${LONGEST_SIDE} pixels on a side.`)
  return { width, height }
}

/** The size of a request that gives one side, such as `100,`. The other side has one pixel at least, however flat the region. */
function oneSide(region: Region, size: string): PixelSize | undefined {
  const [, width, height] = /^(\d+),$|^,(\d+)$/.exec(size) ?? []
  if (width) return { width: Number(width), height: side((region.height * Number(width)) / region.width) }
  return height ? { width: side((region.width * Number(height)) / region.height), height: Number(height) } : undefined
}

/** The largest size with the proportions of a region that fits into a box. Larger than the region only if `enlarges`. */
function fitInto(region: PixelSize, box: PixelSize, enlarges: boolean): PixelSize {
  const scale = Math.min(box.width / region.width, box.height / region.height, enlarges ? Number.POSITIVE_INFINITY : 1)
  return { width: side(region.width * scale), height: side(region.height * scale) }
}

const side = (pixels: number) => Math.max(1, Math.round(pixels))

/** The key of a drawing. All spellings of one request give the same key. */
export const drawingKey = (drawing: Drawing): string =>
  `${partOf(drawing)}/${drawing.width},${drawing.height}/${lookOf(drawing)}`

/** The canonical request of a drawing of an image of this size: Image API 3.0, section 4.7. */
export const canonicalRequest = (image: PixelSize, drawing: Drawing): string =>
  `${partOf(drawing)}/${canonicalSize(drawing.region ?? image, drawing)}/${lookOf(drawing)}`

const partOf = ({ region }: Drawing) =>
  region ? `${region.left},${region.top},${region.width},${region.height}` : 'full'
const lookOf = ({ mirrored, degrees, quality, format }: Drawing) =>
  `${mirrored ? '!' : ''}${degrees}/${quality}.${format}`

/** `max` for the largest size that is not enlarged, `^max` for the largest of all, else `w,h` with `^` if it is enlarged. */
function canonicalSize(region: PixelSize, { width, height }: PixelSize): string {
  const box = { width: LONGEST_SIDE, height: LONGEST_SIDE }
  const isSize = (it: PixelSize) => it.width === width && it.height === height
  if (isSize(fitInto(region, box, false))) return 'max'
  if (isSize(fitInto(region, box, true))) return '^max'
  return `${width > region.width || height > region.height ? '^' : ''}${width},${height}`
}
