import '../../search-words/name-words.ts'
import { gridCellsNear, looksAlike, type NamedPlace } from '../../../engines/matching/index.ts'
import { getMany, itemIn, queryBetween } from '../../../engines/table/index.ts'
import { type Indexed, readEntry, traitsOf } from '../../../platform/name-index/entries.ts'
import { familyOf } from '../../../platform/name-index/families.ts'
import { key } from '../../../platform/table/keys.ts'
import { type RecordItem, recordItem } from '../items.ts'
import type { withOneTown } from './known-towns.ts'

/** A record that may be about the same thing. `how`: the row of the table in README.md that holds. */
export type LookAlike = {
  entity_id: string
  kind: string
  id: number | string
  names: string[]
  how: 'same_identity' | 'same_name' | 'close'
}

/** The most look-alikes of one record that are shown. */
export const MOST_LOOK_ALIKES = 5
/** The most look-alikes that are returned. More than are shown, since the reader may not see all of them. */
const MOST_FOUND = 25
/** The most spellings and identities that are looked up, at one call each. Spellings of the main name come first. */
const MOST_TRAITS = 8

export type LikenessSubject = Pick<Indexed, 'kind' | 'names' | 'identities' | 'point'> & { entity_id?: string }

/** Changes the names of other records so that names of one town compare equal. It is `withOneTown` where search is available. */
type AsTold = typeof withOneTown
const asWritten: AsTold = async (_names, others) => others

/** A range of sort keys in the name index. `identified`: the records in it share an identity, which alone makes a look-alike. */
export type LookupRange = { pk: string; from: string; to: string; identified: boolean }

/**
 * Finds records that may be about the same thing: of the same kind, and of related kinds. The rule stands in README.md.
 * Calls: one for each spelling and identity, and one for each grid row within 150 m of the point.
 */
export async function findLookAlikes(subject: LikenessSubject, asTold: AsTold = asWritten): Promise<LookAlike[]> {
  const found = await Promise.all(
    lookupRangesFor(subject).map(async ({ pk, from, to, identified }) =>
      (await queryBetween(pk, `${from}#`, `${to}#~`, MOST_PER_RANGE)).map((entry) => ({
        entry: readEntry(entry),
        identified,
      })),
    ),
  )
  return pickLookAlikes(subject, found.flat(), asTold)
}

/** The most entries that are read from one range. */
export const MOST_PER_RANGE = 50

/**
 * Returns the ranges in which look-alikes may lie. Identities come last: an entry found by identity replaces the same entry
 * found by name.
 */
export function lookupRangesFor({ kind, names, identities = [], point }: LikenessSubject): LookupRange[] {
  const traits = traitsOf(names, []).slice(0, MOST_TRAITS - Math.min(2, identities.length))
  const lookedUp = [...traits, ...traitsOf([], identities)].slice(0, MOST_TRAITS)
  return [
    ...(point ? gridCellsNear(point) : []).map(({ row, from, to }) => ({
      pk: `GRID#${kind}#${row}`,
      from,
      to,
      identified: false,
    })),
    ...lookedUp.map((trait) => ({
      pk: key.alike(familyOf(kind), trait, '').pk,
      from: trait,
      to: trait,
      identified: trait.startsWith('='),
    })),
  ]
}

export type FoundEntry = { entry: ReturnType<typeof readEntry>; identified: boolean }

/** Picks the look-alikes among index entries. Costs only the calls of `asTold`. */
export async function pickLookAlikes(
  subject: LikenessSubject,
  found: readonly FoundEntry[],
  asTold: AsTold = asWritten,
): Promise<LookAlike[]> {
  const byId = new Map(found.map((candidate) => [candidate.entry.entity_id, candidate]))
  if (subject.entity_id) byId.delete(subject.entity_id)
  const self = namedPlaceOf(subject)
  const others = [...byId.values()]
  const compared = await asTold(
    subject.names,
    others.map(({ entry }) => entry.names),
  )
  return others
    .flatMap(({ entry, identified }, i): LookAlike[] => {
      const { entity_id, kind, id, names, point } = entry
      const other = namedPlaceOf({ names: [...(compared[i] ?? names)], point })
      const how = identified ? 'same_identity' : looksAlike(self, other, kind !== subject.kind)
      return how ? [{ entity_id, kind, id, names, how }] : []
    })
    .slice(0, MOST_FOUND)
}

/** Loads the heads of look-alikes. Returns each with its head; deleted records are left out. One call if there are any. */
export async function withHeads(
  lookAlikes: readonly LookAlike[],
): Promise<{ lookAlike: LookAlike; head: RecordItem }[]> {
  if (lookAlikes.length === 0) return []
  const found = await getMany(
    lookAlikes.map(({ entity_id }) => key.head(entity_id)),
    true,
  )
  return lookAlikes.flatMap((lookAlike) => {
    const head = itemIn(found, recordItem, lookAlike)
    return head && !head.deleted_at ? [{ lookAlike, head }] : []
  })
}

const namedPlaceOf = ({ names, point }: Pick<Indexed, 'names' | 'point'>): NamedPlace => ({
  names,
  ...(point && { point }),
})
