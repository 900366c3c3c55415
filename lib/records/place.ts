import { type Point, roundTo } from '../matching/geo.ts'
import { type Actor, maySeePlace } from '../permissions.ts'
import type { RecordRow } from './items.ts'

/** Where a record is, as exactly as the caller may know: itself, or to a tenth of a degree. Null where it has no point. */
export const pointFor = (
  it: Pick<RecordRow, 'point' | 'access_tier' | 'contributor_id'>,
  actor: Actor | null,
): Point | null => (it.point && !maySeePlace(actor, it) ? roundTo(it.point) : it.point)
