import { isDeepStrictEqual } from 'node:util'
import { distanceInMetres, type Point, roundPoint } from '../../engines/matching/index.ts'
import { type Actor, maySeePlace } from '../../platform/permissions.ts'
import { pointOf } from '../kinds/index.ts'
import type { RecordRow } from './items.ts'

/**
 * How exactly a reader may know a place. Some tiers show readers who do not work on the record only a coarse place, rounded to a
 * tenth of a degree.
 */

type PlaceSubject = Pick<RecordRow, 'access_tier' | 'contributor_id'>

/** Returns the point as the caller may know it. Null if the record has none. */
export const visiblePoint = (record: PlaceSubject & Pick<RecordRow, 'point'>, actor: Actor | null): Point | null =>
  record.point && !maySeePlace(actor, record) ? roundPoint(record.point) : record.point

/** Whether the value of a property is a place that is hidden from the reader. Only `coordinates` are ever hidden. */
export const isPlaceHidden = (record: PlaceSubject, property: string, actor: Actor | null): boolean =>
  property === 'coordinates' && !maySeePlace(actor, record)

/** A value as the caller may know it: hidden coordinates are rounded to a tenth of a degree. */
export function visibleValue(record: PlaceSubject, property: string, value: unknown, actor: Actor | null): unknown {
  const point = isPlaceHidden(record, property, actor) ? pointOf({ coordinates: value }) : undefined
  if (!point) return value
  const { lat, lng } = roundPoint(point)
  return `${lat}, ${lng}`
}

/** A record farther than this from a stated point is not at that point. In metres. */
const REACH_M = 150

/**
 * Whether a record is at a point: within 150 m, or at the same coarse place if the exact place is hidden. If `point` is
 * null, only records without a point match.
 */
export function isAtPoint(
  record: PlaceSubject & Pick<RecordRow, 'point'>,
  point: Point | null,
  actor: Actor | null,
): boolean {
  const own = visiblePoint(record, actor)
  if (!own || !point) return !own && !point
  return isPlaceHidden(record, 'coordinates', actor)
    ? isDeepStrictEqual(own, roundPoint(point))
    : distanceInMetres(own, point) <= REACH_M
}
