import * as v from 'valibot'
import { kinds } from '../../../lib/kinds/index.ts'
import { discovered, kindOfResource, resources, searchedFirst } from '../../../lib/kinds/resources.ts'
import { readings } from '../../../lib/search/concepts.ts'
import { facetNames } from '../../../lib/search/document.ts'
import { maybe, oneOf, text, time, uuid, whole } from './common.ts'
import { DateShown } from './dates.ts'
import { PictureFace } from './picture.ts'
import { rowOf } from './record.ts'

/** Search, discovery, and the assistant. */

/** How many there are of each sort. */
export const Facets = v.object({
  resource: v.record(v.string(), whole),
  status: v.record(v.string(), whole),
  ...v.entriesFromList(facetNames, v.optional(v.record(v.string(), whole))),
  when: v.optional(v.object({ certain: whole, possible: whole })),
})

export const SearchResult = v.object({
  resource: oneOf(resources),
  id: text,
  title: text,
  summary: text,
  status: maybe(text),
  is_published: v.boolean(),
  updated_at: time,
  score: v.number(),
  url: text,
  location_hint: text,
  cultural_entity_id: maybe(uuid),
  name_ne: maybe(text),
  kind: maybe(text),
  place: maybe(text),
  year: maybe(text),
  coordinates: maybe(v.object({ lat: v.number(), lng: v.number() })),
  snippet: maybe(text),
  distance_km: maybe(v.number()),
  when: maybe(oneOf(['certain', 'possible'])),
  picture: maybe(PictureFace),
  date: v.optional(maybe(DateShown)),
})
export const SearchResults = v.object({
  q: text,
  page: whole,
  page_size: whole,
  count: whole,
  facets: maybe(Facets),
  interpreted: v.array(v.object({ text, as: oneOf(readings), value: text })),
  left_out: v.array(text),
  did_you_mean: maybe(text),
  results: v.array(SearchResult),
})

/** Results on a map, or beyond 5,000 how many are in each cell of a geohash grid. `count` also counts what has no place. */
export const SearchMap = v.object({
  type: v.literal('FeatureCollection'),
  features: v.array(
    v.object({
      type: v.literal('Feature'),
      id: text,
      geometry: v.object({ type: v.literal('Point'), coordinates: v.tuple([v.number(), v.number()]) }),
      properties: v.union([SearchResult, v.object({ geohash: text, count: whole })]),
    }),
  ),
  count: whole,
})

/** A completion of what is being typed. */
export const Completion = v.object({
  title: text,
  resource: oneOf(resources),
  id: text,
  location_hint: text,
  url: text,
  name_ne: maybe(text),
  kind: maybe(text),
  type: maybe(text),
  place: maybe(text),
})
export const Completions = v.object({ q: text, suggestions: v.array(Completion) })

/** Rows of each of ten kinds, under its plural. */
export const SearchedByKind = v.object(
  Object.fromEntries(
    searchedFirst.map((resource) => {
      const key = kindOfResource(resource)
      return [resource, v.array(key ? rowOf(kinds[key]) : v.never())]
    }),
  ),
)

const sorts = Object.keys(discovered)
export const DiscoveryRow = v.object({
  id: text,
  resource: oneOf(sorts),
  type: oneOf(Object.values(discovered)),
  name: text,
  summary: text,
  location_hint: text,
  cultural_entity_id: uuid,
  status: maybe(text),
  is_published: v.boolean(),
  has_media: v.boolean(),
  date: v.optional(maybe(DateShown)),
})
export const Discovery = v.object({
  q: text,
  type: maybe(oneOf(sorts)),
  counts: v.object(v.entriesFromList(sorts, whole)),
  results: v.array(DiscoveryRow),
})

/** What the assistant says next, the page that it would open, and the records that its words rest on. */
export const AssistantReply = v.object({
  message: v.object({ role: oneOf(['assistant']), content: text }),
  nav: maybe(text),
  sources: v.array(v.object({ id: text, type: text, title: text, excerpt: text, url: text })),
})
