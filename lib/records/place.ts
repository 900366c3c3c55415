import { isDeepStrictEqual } from 'node:util'
import { pointOf } from '../kinds/index.ts'
import { metres, type Point, roundTo } from '../matching/geo.ts'
import { type Actor, maySeePlace } from '../permissions.ts'
import type { RecordRow } from './items.ts'

/** Who may know how exactly where a record is: of one that is guarded others see, and find out, no more than a tenth of a degree. */

type Placed = Pick<RecordRow, 'access_tier' | 'contributor_id'>

/** Where a record is, as exactly as the caller may know: itself, or to a tenth of a degree. Null where it has no point. */
export const pointFor = (it: Placed & Pick<RecordRow, 'point'>, actor: Actor | null): Point | null =>
  it.point && !maySeePlace(actor, it) ? roundTo(it.point) : it.point

/** Whether what a property says of a record is kept from the caller. */
export const isKept = (it: Placed, property: string, actor: Actor | null): boolean =>
  property === 'coordinates' && !maySeePlace(actor, it)

/** A value of a property as the caller may know it: of coordinates that are kept from them, a tenth of a degree. */
export function valueFor(it: Placed, property: string, value: unknown, actor: Actor | null): unknown {
  const point = isKept(it, property, actor) ? pointOf({ coordinates: value }) : undefined
  if (!point) return value
  const { lat, lng } = roundTo(point)
  return `${lat}, ${lng}`
}

/** A record is found where somebody says that it is within so many metres. */
const REACH = 150

/** Whether a record is at a point, or has none where none is said, as far as the caller may know: within 150 m, or in the same tenth of a degree. */
export function isAt(it: Placed & Pick<RecordRow, 'point'>, point: Point | null, actor: Actor | null): boolean {
  const own = pointFor(it, actor)
  if (!own || !point) return !own && !point
  return isKept(it, 'coordinates', actor) ? isDeepStrictEqual(own, roundTo(point)) : metres(own, point) <= REACH
}
