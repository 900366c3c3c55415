import type { Actor } from '../permissions.ts'
import type { RecordRow } from '../records/items.ts'
import type { Shown } from '../records/shown.ts'
import { guarded } from '../records/views/record.ts'

type Properties = Readonly<Record<string, unknown>>
type Feature = {
  type: 'Feature'
  id: number | string
  geometry: { type: 'Point'; coordinates: [number, number] } | null
  properties: Properties
}

/** A record as GeoJSON (RFC 7946), its JSON as properties: WGS 84, longitude first, null for what has no point. */
export function featureOf(
  it: Shown<RecordRow>,
  actor: Actor | null,
  id: number | string,
  properties: Properties,
): Feature {
  const { point } = guarded(it, actor)
  return {
    type: 'Feature',
    id,
    geometry: point ? { type: 'Point', coordinates: [point.lng, point.lat] } : null,
    properties,
  }
}

type FeaturePage<T> = {
  count: number
  next: string | null
  previous: string | null
  results: readonly T[]
}

/** A page of a list; the size of the list and the links are members of our own. */
export const featuresOf = <T>({ results, ...page }: FeaturePage<T>, feature: (it: T, at: number) => Feature) => ({
  type: 'FeatureCollection',
  features: results.map(feature),
  ...page,
})
