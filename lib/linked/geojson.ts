import type { Actor } from '../permissions.ts'
import type { Head } from '../store/record-items.ts'
import type { Loaded } from '../store/records.ts'
import { detailOf, guarded, rowOf } from '../views/record.ts'

/** Records as GeoJSON (RFC 7946): WGS 84, longitude first; what has no point has no geometry. Members are those of the JSON. */
type Feature = {
  type: 'Feature'
  id: number
  geometry: { type: 'Point'; coordinates: [number, number] } | null
  properties: Record<string, unknown>
}

/** One record with its provenance. */
export const featureOf = (it: Loaded, actor: Actor | null): Feature => feature(it, actor, detailOf(it, actor))

type Page = { count: number; next: string | null; previous: string | null; results: readonly Head[] }

/** A page of a list; the size of the list and the links are members of our own. */
export const featuresOf = ({ results, ...page }: Page, actor: Actor | null) => ({
  type: 'FeatureCollection',
  features: results.map((it) => feature(it, actor, rowOf(it, actor))),
  ...page,
})

function feature(it: Head, actor: Actor | null, properties: Record<string, unknown>): Feature {
  const { point } = guarded(it, actor)
  const geometry = point ? { type: 'Point' as const, coordinates: [point.lng, point.lat] as [number, number] } : null
  return { type: 'Feature', id: it.id, geometry, properties }
}
