import { gridCellsNear, looksAlike, type NamedPlace } from '../../engines/matching/index.ts'
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

const MOST = 5
/** So many spellings and identities are looked up, at one call each. Spellings of the main name come first. */
const MOST_TRAITS = 8

export type LikenessSubject = Pick<Indexed, 'kind' | 'names' | 'identities' | 'point'> & { entity_id?: string }

/**
 * A range of sort keys in the name index. `identified`: whoever is in it shares an identity, and needs no other
 * likeness.
 */
export type LookupRange = { pk: string; from: string; to: string; identified: boolean }

/**
 * Finds records that may be about the same thing: of the same kind, and of related kinds. The rule stands in README.md.
 * Calls: one for each spelling and identity, and one for each grid row within 150 m of the point.
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

/** An entry found by identity must replace the same entry found by name. So identities come last. */
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

const thingOf = ({ names, point }: Pick<Indexed, 'names' | 'point'>): NamedPlace => ({ names, ...(point && { point }) })
