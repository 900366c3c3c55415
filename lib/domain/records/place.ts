import { isDeepStrictEqual } from 'node:util'
import { distanceInMetres, type Point, roundPoint } from '../../engines/matching/index.ts'
import { type Actor, maySeePlace } from '../../platform/permissions.ts'
import { pointOf } from '../kinds/index.ts'
import type { RecordRow } from './items.ts'

/**
 * How exactly a reader may know a place. Some tiers show a coarse place to readers who do not work on the record: a
 * tenth of a degree.
 */

type PlaceSubject = Pick<RecordRow, 'access_tier' | 'contributor_id'>

/** The point of a record as exactly as the caller may know it. Null where it has none. */
export const pointFor = (it: PlaceSubject & Pick<RecordRow, 'point'>, actor: Actor | null): Point | null =>
  it.point && !maySeePlace(actor, it) ? roundPoint(it.point) : it.point

/** Whether the exact value of a property is hidden from the caller. That is so only for guarded `coordinates`. */
export const isPlaceHidden = (it: PlaceSubject, property: string, actor: Actor | null): boolean =>
  property === 'coordinates' && !maySeePlace(actor, it)

/** A value as the caller may know it: hidden coordinates are rounded to a tenth of a degree. */
export function valueFor(it: PlaceSubject, property: string, value: unknown, actor: Actor | null): unknown {
  const point = isPlaceHidden(it, property, actor) ? pointOf({ coordinates: value }) : undefined
  if (!point) return value
  const { lat, lng } = roundPoint(point)
  return `${lat}, ${lng}`
}

/** How far, in metres, a stated point may be from the record. */
const REACH = 150

/**
 * Whether a record is at a point: within 150 m, or at the same coarse place where the exact one is hidden. Without a
 * point only records without one match.
 */
export function isAt(it: PlaceSubject & Pick<RecordRow, 'point'>, point: Point | null, actor: Actor | null): boolean {
  const own = pointFor(it, actor)
  if (!own || !point) return !own && !point
  return isPlaceHidden(it, 'coordinates', actor)
    ? isDeepStrictEqual(own, roundPoint(point))
    : distanceInMetres(own, point) <= REACH
}
