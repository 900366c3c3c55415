import { gregorianDay } from '../calendars/days.ts'
import type { Interval } from '../calendars/reading.ts'
import { shownIn } from '../calendars/shown.ts'
import type { Showing } from '../http/showing.ts'
import { discovered, kindOfResource } from '../kinds/resources.ts'
import { imagePath, thumbnailAt } from '../pictures/view.ts'
import type { Hit, MapResult } from '../search/query.ts'

/** The page of the dashboard that shows what was found. */
export function urlOf({ resource, object_pk }: Pick<Hit, 'resource' | 'object_pk'>): string {
  const kind = kindOfResource(resource)
  if (kind) return `/knowledge/${kind}/view/${object_pk}`
  // An asset has no page of its own: it is shown on that of its project, whose slug its name begins with.
  if (resource === 'projects' || resource === 'project_assets') return `/contribute/projects/${object_pk.split('/')[0]}`
  return `/users/${object_pk}`
}

/** A result, as far as it says something. `id` is what names the thing in its own endpoint, the review identity of a record is beside it. */
export const resultView = (it: Hit) => ({
  resource: it.resource,
  id: it.object_pk,
  title: it.title,
  summary: it.summary,
  status: it.status,
  is_published: it.is_published,
  updated_at: it.updated_at,
  score: Math.round(it.score * 1e6) / 1e6,
  url: urlOf(it),
  location_hint: it.location_hint,
  cultural_entity_id: kindOfResource(it.resource) ? it.id : null,
  name_ne: it.name_ne ?? null,
  kind: kindOfResource(it.resource) ?? null,
  place: it.values?.place?.[0] ?? (it.location_hint || null),
  year: yearOf(it.years),
  coordinates: it.point && { lat: it.point.lat, lng: it.point.lng },
  snippet: it.snippet ?? null,
  distance_km: it.distance ?? null,
  when: it.when ?? null,
  picture: pictureOf(it),
})

/** The picture that stands for a record, with its sizes, as the record itself shows it. */
function pictureOf({ id, picture }: Hit) {
  if (!picture) return null
  const { image, width, height } = picture
  const iiif = imagePath(id, image)
  return { iiif, width, height, thumbnail: thumbnailAt(iiif, { width, height }) }
}

/** The view of a result with its years in the calendar of whoever asks, beside their words. */
export function withYears<T extends object>(view: T, { years }: Hit, showing: Showing | undefined) {
  if (showing === undefined) return view
  const { calendar, language } = showing
  return { ...view, date: years ? { words: yearOf(years), ...shownIn(daysIn(years), calendar, language) } : null }
}

/** From the first day of a span of years to its last. */
const daysIn = ({ from, to, approximate }: NonNullable<Hit['years']>): Interval => ({
  from: from === null ? -Infinity : gregorianDay(from, 1, 1),
  to: to === null ? Infinity : gregorianDay(to, 12, 31),
  approximate,
})

/** The years of a thing as a reader writes them: 1702, c. 1650-1690, 300 BCE. */
function yearOf(years: Hit['years']): string | null {
  if (!years) return null
  const { from, to, approximate } = years
  const [first, last] = [from, to].map((it) => (it === null ? '' : it > 0 ? String(it) : `${1 - it} BCE`))
  return `${approximate ? 'c. ' : ''}${first === last ? first : `${first}-${last}`}`
}

/** What was found, on a map: points, or where they are too many how many are in each cell of a grid. */
export const mapView = ({ count, points, clusters }: MapResult) => ({
  type: 'FeatureCollection',
  features: [
    ...points.map((it) => feature(it.id, it.point, resultView(it))),
    ...clusters.map(({ geohash, count: size, ...at }) => feature(geohash, at, { geohash, count: size })),
  ],
  count,
})

const feature = (id: string, point: Hit['point'], properties: object) => ({
  type: 'Feature',
  id,
  geometry: point && { type: 'Point', coordinates: [point.lng, point.lat] },
  properties,
})

/** A completion of what is being typed. */
export const suggestionView = (it: Hit) => ({
  title: it.title,
  resource: it.resource,
  id: it.object_pk,
  location_hint: it.location_hint,
  url: urlOf(it),
  name_ne: it.name_ne ?? null,
  kind: kindOfResource(it.resource) ?? null,
  type: it.values?.type?.[0] ?? null,
  place: it.values?.place?.[0] ?? (it.location_hint || null),
})

type Discovered = keyof typeof discovered
const isDiscovered = (resource: string): resource is Discovered => resource in discovered

/** A row of the discovery page. */
export const discoveryView = (it: Hit) => ({
  id: it.object_pk,
  resource: it.resource,
  type: isDiscovered(it.resource) ? discovered[it.resource] : it.resource,
  name: it.title,
  summary: it.summary,
  location_hint: it.location_hint,
  cultural_entity_id: it.id,
  status: it.status,
  is_published: it.is_published,
  has_media: it.picture !== undefined,
})
