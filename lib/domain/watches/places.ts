import { isInFeed } from '../feed/state.ts'
import type { Assertion } from '../records/items.ts'
import { claimEdges } from '../records/links.ts'
import { loadRecordById } from '../records/load.ts'

/** Which places lie in which other places, by accepted relationships. Example: a court is part of a town. */

/** The most steps from a place outwards. Example: shrine, court, quarter, town, district, province are five. */
const MOST_LEVELS = 5
/** The most places around one record. The walk outwards ends there, and further ones are dropped. */
const MOST_AROUND = 10
/** The relationships by which a place lies in another one. */
const lying: ReadonlySet<string> = new Set(['located_in', 'part_of'])

/** Returns the places in which a place lies directly. */
export type Around = (place: string) => Promise<readonly string[]>

/** The places that accepted relationships of a record name. */
export const relatedPlaces = (assertions: readonly Assertion[], fits: (relation: string) => boolean): string[] =>
  assertions
    .flatMap(claimEdges)
    .flatMap(({ to, toKind, relation }) => (toKind === 'location' && fits(relation) ? [to] : []))

/** Returns a function that reads each place once, by one query. For a place that not everyone may read, it returns no places. */
export function rememberPlaces(): Around {
  const known = new Map<string, Promise<readonly string[]>>()
  return (place) => {
    const found = known.get(place) ?? loadPlacesAround(place)
    known.set(place, found)
    return found
  }
}

async function loadPlacesAround(place: string): Promise<readonly string[]> {
  const record = await loadRecordById(place)
  return record && isInFeed(record) ? relatedPlaces(record.assertions, (relation) => lying.has(relation)) : []
}

/** Lists the places in which these places lie, directly or through others, nearest first. Relationships in a circle do no harm. */
export async function listPlacesAround(places: readonly string[], around: Around): Promise<string[]> {
  const found = new Set<string>()
  let edge: readonly string[] = places
  for (let level = 0; level < MOST_LEVELS && edge.length > 0 && found.size < MOST_AROUND; level += 1) {
    const next = (await Promise.all(edge.slice(0, MOST_AROUND).map(around))).flat()
    edge = [...new Set(next)].filter((it) => !places.includes(it) && !found.has(it))
    for (const it of edge) found.add(it)
  }
  return [...found].slice(0, MOST_AROUND)
}
