import * as v from 'valibot'
import * as s from '../../base/shapes.ts'
import { fitInto, type PixelSize } from '../../domain/pictures/view.ts'
import { imageFormats, LONGEST_SIDE, qualities } from './request.ts'

export const IMAGE_PROFILE = 'http://iiif.io/api/image/3/level2.json'
export const IMAGE_CONTEXT = 'http://iiif.io/api/image/3/context.json'

/** The side of a tile, in pixels. */
const TILE_SIDE = 512
/** The longer side of the smallest offered size, in pixels. */
const SMALLEST_SIDE = 100

const sizeShape = () => v.object({ width: s.whole, height: s.whole })
/** The `info.json` of an image in the IIIF Image API 3.0. */
export const ImageInfoView = s.shape('ImageInfo', () =>
  v.object({
    '@context': v.literal('http://iiif.io/api/image/3/context.json'),
    id: s.text,
    type: v.literal('ImageService3'),
    protocol: s.text,
    profile: v.literal('level2'),
    width: s.whole,
    height: s.whole,
    maxWidth: s.whole,
    maxHeight: s.whole,
    sizes: v.array(sizeShape()),
    tiles: v.array(v.object({ width: s.whole, scaleFactors: v.array(s.whole) })),
    extraFormats: v.array(s.text),
    extraQualities: v.array(s.text),
    extraFeatures: v.array(s.text),
    rights: v.optional(s.text),
  }),
)

/** The `info.json` of an image, from which a viewer reads the sizes, formats and qualities that it may request. */
export function imageInfo(id: string, { width, height }: PixelSize, rights?: string) {
  return {
    '@context': IMAGE_CONTEXT,
    id,
    type: 'ImageService3',
    protocol: 'http://iiif.io/api/image',
    profile: 'level2',
    width,
    height,
    maxWidth: LONGEST_SIDE,
    maxHeight: LONGEST_SIDE,
    sizes: sizesOf({ width, height }),
    tiles: [{ width: TILE_SIDE, scaleFactors: scalesOf({ width, height }) }],
    extraFormats: imageFormats.filter((it) => it !== 'jpg' && it !== 'png'),
    extraQualities: qualities.filter((it) => it !== 'default'),
    extraFeatures: ['canonicalLinkHeader', 'mirroring', 'profileLinkHeader', 'rotationArbitrary', 'sizeUpscaling'],
    ...(rights !== undefined && { rights }),
  }
}

/** The offered sizes, smallest first. Each is half of the next. The last is the largest that is drawn. */
function sizesOf(image: PixelSize): PixelSize[] {
  const sizes: PixelSize[] = []
  for (let side = Math.min(LONGEST_SIDE, Math.max(image.width, image.height)); side >= SMALLEST_SIDE; side /= 2)
    sizes.unshift(fitInto(image, Math.round(side)))
  return sizes
}

function scalesOf({ width, height }: PixelSize): number[] {
  const scales = [1]
  for (let scale = 2; Math.max(width, height) / scale > TILE_SIDE / 2; scale *= 2) scales.push(scale)
  return scales
}
