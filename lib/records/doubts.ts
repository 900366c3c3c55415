import { dateIn } from '../calendars/conversion.ts'
import { isFault } from '../calendars/systems.ts'
import { warn } from '../http/warnings.ts'
import { recordId } from '../ids/address.ts'
import { type Kind, kinds, pointOf } from '../kinds/index.ts'
import { metres, type Point } from '../matching/geo.ts'
import { sameAsIn } from '../names/same-as.ts'
import { isLink } from '../names/text.ts'
import type { Values } from '../names/values.ts'
import { type Actor, maySee } from '../permissions.ts'
import { key } from '../table/keys.ts'
import { getMany, itemIn } from '../table/read.ts'
import type { Raised } from './build.ts'
import { recordItem } from './items.ts'
import type { Meanings } from './periods.ts'
import { pointFor } from './place.ts'

/** Values that are taken though they are hardly meant: their contributor is warned, and reviewers see a flag. */

/** Nepal with a margin, in degrees: most records are there, and a point that is there only when swapped is swapped. */
const home = { south: 26, north: 31, west: 79.5, east: 88.5 }
/** Nothing stands farther than this from the point of the place in which it stands. */
const FARTHEST_M = 50_000

type Doubt = { property: string; message: string }

/** The flags for what is doubtful in these values of a record; `changed` are looked at. One call where a place is named. */
export async function doubtFlags(
  kind: Kind,
  data: Values,
  actor: Actor,
  { changed = Object.keys(data), meanings }: { changed?: readonly string[]; meanings: Meanings },
): Promise<Raised[]> {
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

type Looked = { changed: readonly string[]; meanings: Meanings }

/** Dates that cannot be read, and name no period either. */
function dateDoubts({ fields }: Kind, data: Values, { changed, meanings }: Looked): Doubt[] {
  return changed.flatMap((property) => {
    const [type, value] = [fields[property]?.type, data[property]]
    const isDate = type === 'date' || type === 'edtf_date'
    if (!isDate || typeof value !== 'string' || value.trim() === '' || meanings.has(value)) return []
    const read = dateIn(value, data.calendar_system)
    return isFault(read) ? [{ property, message: read.fault }] : []
  })
}

/** Links that name a collection and no id of it. */
function linkDoubts(data: Values, changed: readonly string[]): Doubt[] {
  const links = changed.includes('same_as') && Array.isArray(data.same_as) ? data.same_as : []
  const faults = links.flatMap((link) => (typeof link === 'string' ? (sameAsIn(link)?.fault ?? []) : []))
  return [...new Set(faults)].map((message) => ({ property: 'same_as', message }))
}

async function pointDoubts(kind: Kind, data: Values, actor: Actor, changed: readonly string[]): Promise<Doubt[]> {
  const point = pointOf(data)
  const places = Object.keys(data).filter((name) => kind.fields[name]?.relation === 'location')
  if (!point || !['coordinates', ...places].some((name) => changed.includes(name))) return []
  const message = farFrom(
    point,
    await pointsOf(
      places.flatMap((name) => data[name] ?? []),
      actor,
    ),
  )
  return message === undefined ? [] : [{ property: 'coordinates', message }]
}

/** Why a point is doubtful beside these places, or by itself where there are none. */
function farFrom(point: Point, places: readonly Point[]): string | undefined {
  const swapped = { lat: point.lng, lng: point.lat }
  const isSwapped = Math.abs(swapped.lat) <= 90
  const near = (it: Point) => places.some((place) => metres(it, place) <= FARTHEST_M)
  if (places.length === 0) return !isHome(point) && isSwapped && isHome(swapped) ? SWAPPED : undefined
  if (near(point)) return undefined
  if (isSwapped && near(swapped)) return SWAPPED
  const nearest = Math.min(...places.map((place) => metres(point, place)))
  return `This is ${Math.round(nearest / 1000)} km from the place that the record names.`
}

const SWAPPED = 'Latitude and longitude seem to be swapped: the latitude goes first.'
const isHome = ({ lat, lng }: Point) => lat >= home.south && lat <= home.north && lng >= home.west && lng <= home.east

/** The points of the places among linked values, of those that the caller may see, and as exactly as they may know them. */
async function pointsOf(values: readonly unknown[], actor: Actor): Promise<Point[]> {
  const ids = values.flat().flatMap((it) => (isLink(it) && typeof it.id === 'number' && it.id > 0 ? [it.id] : []))
  const records = ids.map((id) => recordId(kinds.location.code, id))
  const found = records.length > 0 ? await getMany(records.map(key.head)) : new Map()
  return records.flatMap((entity_id) => {
    const it = itemIn(found, recordItem, { entity_id })
    return it && !it.deleted_at && maySee(actor, it) ? (pointFor(it, actor) ?? []) : []
  })
}
