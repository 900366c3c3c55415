import { gridCellsNear, looksAlike, type Thing } from '../../engines/matching/index.ts'
import { queryBetween } from '../../engines/table/index.ts'
import { type Indexed, readEntry, traitsOf } from '../../platform/name-index/entries.ts'
import { familyOf } from '../../platform/name-index/families.ts'
import { key } from '../../platform/table/keys.ts'

export type LookAlike = {
  entity_id: string
  kind: string
  id: number | string
  names: string[]
  how: 'same_identity' | 'same_name' | 'close'
}

/** The most look-alikes that are reported. */
const MOST = 5
/** The most spellings and identities that are looked up. Spellings of the main name come first. */
const MOST_TRAITS = 8

export type LikenessSubject = Pick<Indexed, 'kind' | 'names' | 'identities' | 'point'> & { entity_id?: string }

/** A range of sort keys in the name index: one spelling or identity, or a range of grid cells. */
export type LookupRange = { pk: string; from: string; to: string; identified: boolean }

/**
 * Finds records that may be about the same thing. It compares records of the same kind and of related kinds: a festival may be
 * recorded as an event. One call for each spelling and identity, and for each grid row within 150 m of the point.
 */
export async function findLookAlikes(it: LikenessSubject): Promise<LookAlike[]> {
  const found = await Promise.all(
    lookupRangesFor(it).map(async ({ pk, from, to, identified }) =>
      (await queryBetween(pk, `${from}#`, `${to}#~`, MOST_PER_RANGE)).map((entry) => ({
        entry: readEntry(entry),
        identified,
      })),
    ),
  )
  return pickLookAlikes(it, found.flat())
}

/** The most entries that are read from one range. */
export const MOST_PER_RANGE = 50

/** The ranges to read: near the point, under spellings, under identities. Identities come last, so they win in `pickLookAlikes`. */
export function lookupRangesFor({ kind, names, identities = [], point }: LikenessSubject): LookupRange[] {
  const traits = traitsOf(names, []).slice(0, MOST_TRAITS - Math.min(2, identities.length))
  const sought = [...traits, ...traitsOf([], identities)].slice(0, MOST_TRAITS)
  return [
    ...(point ? gridCellsNear(point) : []).map(({ row, from, to }) => ({
      pk: `GRID#${kind}#${row}`,
      from,
      to,
      identified: false,
    })),
    ...sought.map((trait) => ({
      pk: key.alike(familyOf(kind), trait, '').pk,
      ...{ from: trait, to: trait, identified: trait.startsWith('=') },
    })),
  ]
}

export type FoundEntry = { entry: ReturnType<typeof readEntry>; identified: boolean }

/** Picks the look-alikes among index entries. Pure. */
export function pickLookAlikes(it: LikenessSubject, found: readonly FoundEntry[]): LookAlike[] {
  const others = new Map(found.map((each) => [each.entry.entity_id, each]))
  if (it.entity_id) others.delete(it.entity_id)
  const self = thingOf(it)
  return [...others.values()]
    .flatMap(({ entry, identified }): LookAlike[] => {
      const { entity_id, kind, id, names } = entry
      const how = identified ? 'same_identity' : looksAlike(self, thingOf(entry), kind !== it.kind)
      return how ? [{ entity_id, kind, id, names, how }] : []
    })
    .slice(0, MOST)
}

const thingOf = ({ names, point }: Pick<Indexed, 'names' | 'point'>): Thing => ({ names, ...(point && { point }) })
