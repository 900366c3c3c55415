import * as v from 'valibot'
import * as s from '../../base/shapes.ts'
import { discoveryGroups, kindOfResource, resources } from '../../domain/kinds/resources.ts'
import { imagePath, PictureFaceView, thumbnailAt } from '../../domain/pictures/view.ts'
import { FacetsView } from '../../domain/records/search.ts'
import { readParts } from '../../domain/search-words/concepts.ts'
import type { Interval } from '../../engines/calendars/index.ts'
import { gregorianDay, showDate } from '../../engines/calendars/index.ts'
import type { Hit, MapResult } from '../../engines/search/index.ts'
import type { DateStyle } from '../../platform/http/shown-dates.ts'
import { DateShownView } from '../../platform/http/shown-dates.ts'

/** The page of the dashboard that shows a hit. */
export function urlOf({ resource, object_pk }: Pick<Hit, 'resource' | 'object_pk'>): string {
  const kind = kindOfResource(resource)
  if (kind) return `/knowledge/${kind}/view/${object_pk}`
  // An asset is shown on the page of its project. Its `object_pk` begins with the project's slug.
  if (resource === 'projects' || resource === 'project_assets') return `/contribute/projects/${object_pk.split('/')[0]}`
  return `/users/${object_pk}`
}

const SearchResultView = s.shape('SearchResult', () =>
  v.object({
    resource: s.oneOf(resources),
    id: s.text,
    title: s.text,
    summary: s.text,
    status: s.maybe(s.text),
    is_published: v.boolean(),
    updated_at: s.time,
    score: v.number(),
    url: s.text,
    location_hint: s.text,
    cultural_entity_id: s.maybe(s.uuid),
    name_ne: s.maybe(s.text),
    kind: s.maybe(s.text),
    place: s.maybe(s.text),
    year: s.maybe(s.text),
    coordinates: s.maybe(v.object({ lat: v.number(), lng: v.number() })),
    snippet: s.maybe(s.text),
    distance_km: s.maybe(v.number()),
    when: s.maybe(s.oneOf(['certain', 'possible'])),
    picture: s.maybe(PictureFaceView),
    date: v.optional(s.maybe(DateShownView)),
  }),
)
export const SearchResultsView = s.shape('SearchResults', () =>
  v.object({
    q: s.text,
    page: s.whole,
    page_size: s.whole,
    count: s.whole,
    facets: s.maybe(FacetsView),
    interpreted: v.array(
      v.object({
        key: s.text,
        text: s.text,
        as: s.oneOf(readParts),
        value: s.text,
        excluded: v.optional(v.literal(true)),
      }),
    ),
    left_out: v.array(s.text),
    did_you_mean: s.maybe(s.text),
    results: v.array(SearchResultView),
  }),
)

/** The view of a hit. `id` is the id in the endpoint of its resource. A record also has its review identity. */
export const resultView = (hit: Hit) => ({
  resource: hit.resource,
  id: hit.object_pk,
  title: hit.title,
  summary: hit.summary,
  status: hit.status,
  is_published: hit.is_published,
  updated_at: hit.updated_at,
  score: Math.round(hit.score * 1e6) / 1e6,
  url: urlOf(hit),
  location_hint: hit.location_hint,
  cultural_entity_id: kindOfResource(hit.resource) ? hit.id : null,
  name_ne: hit.name_ne ?? null,
  kind: kindOfResource(hit.resource) ?? null,
  place: hit.values?.place?.[0] ?? (hit.location_hint || null),
  year: yearOf(hit.years),
  coordinates: hit.point && { lat: hit.point.lat, lng: hit.point.lng },
  snippet: hit.snippet ?? null,
  distance_km: hit.distance ?? null,
  when: hit.when ?? null,
  picture: pictureOf(hit),
})

/** The main picture of a record with its sizes, in the form of the record's own view. */
function pictureOf({ id, picture }: Hit) {
  if (!picture) return null
  const { image, width, height } = picture
  const iiif = imagePath(id, image)
  return { iiif, width, height, thumbnail: thumbnailAt(iiif, { width, height }) }
}

/** Adds the years of a hit to its view, in words and in the caller's calendar. */
export function withYears<T extends object>(view: T, { years }: Hit, showing: DateStyle | undefined) {
  if (showing === undefined) return view
  const { calendar, language } = showing
  return { ...view, date: years ? { words: yearOf(years), ...showDate(daysIn(years), calendar, language) } : null }
}

/** A span of years as an interval of days. */
const daysIn = ({ from, to, approximate }: NonNullable<Hit['years']>): Interval => ({
  from: from === null ? -Infinity : gregorianDay(from, 1, 1),
  to: to === null ? Infinity : gregorianDay(to, 12, 31),
  approximate,
})

/** Years in words: "1702", "c. 1650-1690", "300 BCE". */
function yearOf(years: Hit['years']): string | null {
  if (!years) return null
  const { from, to, approximate } = years
  const [first, last] = [from, to].map((it) => (it === null ? '' : it > 0 ? String(it) : `${1 - it} BCE`))
  return `${approximate ? 'c. ' : ''}${first === last ? first : `${first}-${last}`}`
}

/** Hits on a map. If they are more than 5,000, the number of hits in each cell of a geohash grid. `count` includes hits without a place. */
export const SearchMapView = s.shape('SearchMap', () =>
  v.object({
    type: v.literal('FeatureCollection'),
    features: v.array(
      v.object({
        type: v.literal('Feature'),
        id: s.text,
        geometry: v.object({ type: v.literal('Point'), coordinates: v.tuple([v.number(), v.number()]) }),
        properties: v.union([SearchResultView, v.object({ geohash: s.text, count: s.whole })]),
      }),
    ),
    count: s.whole,
  }),
)

/** The view of hits on a map: points, or cells with their number of hits. */
export const mapView = ({ count, points, clusters }: MapResult) => ({
  type: 'FeatureCollection',
  features: [
    ...points.flatMap((hit) => (hit.point ? [feature(hit.id, hit.point, resultView(hit))] : [])),
    ...clusters.map(({ geohash, count: size, ...at }) => feature(geohash, at, { geohash, count: size })),
  ],
  count,
})

const feature = <Properties>(id: string, point: NonNullable<Hit['point']>, properties: Properties) => ({
  type: 'Feature',
  id,
  geometry: { type: 'Point', coordinates: [point.lng, point.lat] },
  properties,
})

/** A completion of a text that is being typed. */
const CompletionView = s.shape('Completion', () =>
  v.object({
    title: s.text,
    resource: s.oneOf(resources),
    id: s.text,
    location_hint: s.text,
    url: s.text,
    name_ne: s.maybe(s.text),
    kind: s.maybe(s.text),
    type: s.maybe(s.text),
    place: s.maybe(s.text),
  }),
)
export const CompletionsView = s.shape('Completions', () =>
  v.object({ q: s.text, suggestions: v.array(CompletionView) }),
)

/** The view of a completion. */
export const suggestionView = (hit: Hit) => ({
  title: hit.title,
  resource: hit.resource,
  id: hit.object_pk,
  location_hint: hit.location_hint,
  url: urlOf(hit),
  name_ne: hit.name_ne ?? null,
  kind: kindOfResource(hit.resource) ?? null,
  type: hit.values?.type?.[0] ?? null,
  place: hit.values?.place?.[0] ?? (hit.location_hint || null),
})

type Discovered = keyof typeof discoveryGroups
const isDiscovered = (resource: string): resource is Discovered => resource in discoveryGroups

const discoverySorts = () => Object.keys(discoveryGroups)
const DiscoveryRowView = s.shape('DiscoveryRow', () =>
  v.object({
    id: s.text,
    resource: s.oneOf(discoverySorts()),
    type: s.oneOf(Object.values(discoveryGroups)),
    name: s.text,
    summary: s.text,
    location_hint: s.text,
    cultural_entity_id: s.uuid,
    status: s.maybe(s.text),
    is_published: v.boolean(),
    has_media: v.boolean(),
    date: v.optional(s.maybe(DateShownView)),
  }),
)
export const DiscoveryView = s.shape('Discovery', () =>
  v.object({
    q: s.text,
    type: s.maybe(s.oneOf(discoverySorts())),
    counts: v.object(v.entriesFromList(discoverySorts(), s.whole)),
    results: v.array(DiscoveryRowView),
  }),
)

/** A row of the discovery page. */
export const discoveryView = (hit: Hit) => ({
  id: hit.object_pk,
  resource: hit.resource,
  type: isDiscovered(hit.resource) ? discoveryGroups[hit.resource] : hit.resource,
  name: hit.title,
  summary: hit.summary,
  location_hint: hit.location_hint,
  cultural_entity_id: hit.id,
  status: hit.status,
  is_published: hit.is_published,
  has_media: hit.picture !== undefined,
})
