import { fitting, type Size } from '../pictures/view.ts'
import { formats, LONGEST_SIDE, qualities } from './request.ts'

export const IMAGE_PROFILE = 'http://iiif.io/api/image/3/level2.json'
export const IMAGE_CONTEXT = 'http://iiif.io/api/image/3/context.json'

/** The side of a tile, and the smallest of the sizes that are told. */
const TILE = 512
const LEAST = 100

/** What the Image API says of an image (info.json), so that a viewer knows what to ask for. */
export function imageInfo(id: string, { width, height }: Size, rights?: string): Record<string, unknown> {
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
    tiles: [{ width: TILE, scaleFactors: scalesOf({ width, height }) }],
    extraFormats: formats.filter((it) => it !== 'jpg' && it !== 'png'),
    extraQualities: qualities.filter((it) => it !== 'default'),
    extraFeatures: ['canonicalLinkHeader', 'mirroring', 'profileLinkHeader', 'rotationArbitrary', 'sizeUpscaling'],
    ...(rights !== undefined && { rights }),
  }
}

/** Halves of halves, the smallest first; those of the largest that is drawn at all. */
function sizesOf(image: Size): Size[] {
  const sizes: Size[] = []
  for (let side = Math.min(LONGEST_SIDE, Math.max(image.width, image.height)); side >= LEAST; side /= 2)
    sizes.unshift(fitting(image, Math.round(side)))
  return sizes
}

function scalesOf({ width, height }: Size): number[] {
  const scales = [1]
  for (let scale = 2; Math.max(width, height) / scale > TILE / 2; scale *= 2) scales.push(scale)
  return scales
}
