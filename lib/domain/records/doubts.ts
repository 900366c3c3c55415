import { recordId } from '../../base/ids/address.ts'
import { isFault, readDateOrFault } from '../../engines/calendars/index.ts'
import { distanceInMetres, type Point } from '../../engines/matching/index.ts'
import { getMany, itemIn } from '../../engines/table/index.ts'
import { warn } from '../../platform/http/warnings.ts'
import { type Actor, maySee } from '../../platform/permissions.ts'
import { key } from '../../platform/table/keys.ts'
import { type Kind, kinds, pointOf } from '../kinds/index.ts'
import { parseSameAs } from '../names/same-as.ts'
import { isLink } from '../names/text.ts'
import type { Values } from '../names/values.ts'
import type { NewFlag } from './build.ts'
import { recordItem } from './items.ts'
import type { PeriodMeanings } from './periods.ts'
import { visiblePoint } from './place.ts'

/** Finds unlikely values. They are accepted as input: the contributor gets a warning, and reviewers get a flag. */

/** Nepal with a margin, in degrees. (27, 85) lies inside. If (85, 27) was sent, its numbers are probably swapped. */
const nepal = { south: 26, north: 31, west: 79.5, east: 88.5 }
/** A point farther than this from every place that the record names is doubtful. In metres. */
const FARTHEST_M = 50_000

type Doubt = { property: string; message: string }

/** Finds unlikely values among the `changed` members, and warns the contributor of each. One call if a place is linked. */
export async function findDoubtFlags(
  kind: Kind,
  data: Values,
  actor: Actor,
  { changed = Object.keys(data), meanings }: { changed?: readonly string[]; meanings: PeriodMeanings },
): Promise<NewFlag[]> {
  const doubts = [
    ...dateDoubts(kind, data, { changed, meanings }),
    ...linkDoubts(data, changed),
    ...(await pointDoubts(kind, data, actor, changed)),
  ]
  for (const { property, message } of doubts) warn({ member: property, message })
  return doubts.map(({ property, message }) => ({
    flag_type: 'low_confidence' as const,
    property,
    reason: `${kind.fields[property]?.label ?? property}: ${message}`,
  }))
}

type DateContext = { changed: readonly string[]; meanings: PeriodMeanings }

/** Finds dates that cannot be read. A date that names a known period ("Malla era") is left out. */
function dateDoubts({ fields }: Kind, data: Values, { changed, meanings }: DateContext): Doubt[] {
  return changed.flatMap((property) => {
    const [type, value] = [fields[property]?.type, data[property]]
    const isDate = type === 'date' || type === 'edtf_date'
    if (!isDate || typeof value !== 'string' || value.trim() === '' || meanings.has(value)) return []
    const reading = readDateOrFault(value, data.calendar_system)
    return isFault(reading) ? [{ property, message: reading.fault }] : []
  })
}

/** Finds values of `same_as` with a known collection but a wrong id. Example: `wd:37` instead of `wd:Q37`. */
function linkDoubts(data: Values, changed: readonly string[]): Doubt[] {
  const links = changed.includes('same_as') && Array.isArray(data.same_as) ? data.same_as : []
  const faults = links.flatMap((link) => (typeof link === 'string' ? (parseSameAs(link)?.fault ?? []) : []))
  return [...new Set(faults)].map((message) => ({ property: 'same_as', message }))
}

/** Finds coordinates that are far from the places that the record names. One call if a place is linked. */
async function pointDoubts(kind: Kind, data: Values, actor: Actor, changed: readonly string[]): Promise<Doubt[]> {
  const point = pointOf(data)
  const places = Object.keys(data).filter((name) => kind.fields[name]?.relation === 'location')
  if (!point || !['coordinates', ...places].some((name) => changed.includes(name))) return []
  const message = placeDoubt(
    point,
    await pointsOf(
      places.flatMap((name) => data[name] ?? []),
      actor,
    ),
  )
  return message === undefined ? [] : [{ property: 'coordinates', message }]
}

/** Returns why a point is doubtful. Undefined if it is not. Without `places` it is compared with Nepal. */
function placeDoubt(point: Point, places: readonly Point[]): string | undefined {
  const swapped = { lat: point.lng, lng: point.lat }
  const canBeSwapped = Math.abs(swapped.lat) <= 90
  const isNear = (candidate: Point) => places.some((place) => distanceInMetres(candidate, place) <= FARTHEST_M)
  if (places.length === 0) return !isInNepal(point) && canBeSwapped && isInNepal(swapped) ? SWAPPED : undefined
  if (isNear(point)) return undefined
  if (canBeSwapped && isNear(swapped)) return SWAPPED
  const nearest = Math.min(...places.map((place) => distanceInMetres(point, place)))
  return `This is ${Math.round(nearest / 1000)} km from the place that the record names.`
}

const SWAPPED = 'Latitude and longitude seem to be swapped: the latitude goes first.'
const isInNepal = ({ lat, lng }: Point) =>
  lat >= nepal.south && lat <= nepal.north && lng >= nepal.west && lng <= nepal.east

/** Loads the points of the linked places that the caller may see, as exactly as the caller may know them. */
async function pointsOf(values: readonly unknown[], actor: Actor): Promise<Point[]> {
  const ids = values.flat().flatMap((it) => (isLink(it) && typeof it.id === 'number' && it.id > 0 ? [it.id] : []))
  const records = ids.map((id) => recordId(kinds.location.code, id))
  const found = records.length > 0 ? await getMany(records.map(key.head)) : new Map()
  return records.flatMap((entity_id) => {
    const location = itemIn(found, recordItem, { entity_id })
    return location && !location.deleted_at && maySee(actor, location) ? (visiblePoint(location, actor) ?? []) : []
  })
}
