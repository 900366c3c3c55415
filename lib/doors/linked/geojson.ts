import type { RecordRow } from '../../domain/records/items.ts'
import type { Visible } from '../../domain/records/shown.ts'
import { visibleValuesAndPoint } from '../../domain/records/views/record.ts'
import type { Actor } from '../../platform/permissions.ts'

type Properties = Readonly<Record<string, unknown>>
type Feature = {
  type: 'Feature'
  id: number | string
  geometry: { type: 'Point'; coordinates: [number, number] } | null
  properties: Properties
}

/** A record as GeoJSON (RFC 7946), with its JSON as properties. WGS 84, longitude first; the geometry is null if there is no point. */
export function featureOf(
  it: Visible<RecordRow>,
  actor: Actor | null,
  id: number | string,
  properties: Properties,
): Feature {
  const { point } = visibleValuesAndPoint(it, actor)
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

/** A page of a list. `count` and the links are members that the RFC does not have. */
export const featuresOf = <T>({ results, ...page }: FeaturePage<T>, feature: (it: T, at: number) => Feature) => ({
  type: 'FeatureCollection',
  features: results.map(feature),
  ...page,
})
