import { gridRange } from '../matching/geo.ts'
import { looksAlike, type Thing } from '../matching/likeness.ts'
import { familyOf } from '../names/families.ts'
import { type Indexed, readEntry, traitsOf } from '../names/index.ts'
import { key } from '../table/keys.ts'
import { queryBetween } from '../table/read.ts'

export type Similar = {
  entity_id: string
  kind: string
  id: number | string
  names: string[]
  how: 'same_identity' | 'same_name' | 'close'
}

/** At most this many look-alikes are looked for and reported; a name that more records share says nothing. */
const MOST = 5
/** So many spellings and identities are looked up; the first are those of the record's own name. */
const MOST_TRAITS = 8

export type Sought = Pick<Indexed, 'kind' | 'names' | 'identities' | 'point'> & { entity_id?: string }

/** Where the index is asked for look-alikes: a prefix of the sort keys of a partition, or a range of cells. */
export type Place = { pk: string; from: string; to: string; identified: boolean }

/**
 * Records that look like the same thing: of the same kind, or of another one under which it may be recorded, a festival as an event.
 * One call per spelling of a name and per identity, and with a point one per grid row within 150 m (two or three).
 */
export async function similarTo(it: Sought): Promise<Similar[]> {
  const found = await Promise.all(
    placesFor(it).map(async ({ pk, from, to, identified }) =>
      (await queryBetween(pk, `${from}#`, `${to}#~`, MOST_AT_ONE_PLACE)).map((entry) => ({
        entry: readEntry(entry),
        identified,
      })),
    ),
  )
  return judged(it, found.flat())
}

/** Of one place no more entries are looked at. */
export const MOST_AT_ONE_PLACE = 50

/** Where look-alikes of a thing can be: near its point, under its spellings, and under its identities, the latter last, so that they are taken as such. */
export function placesFor({ kind, names, identities = [], point }: Sought): Place[] {
  const traits = traitsOf(names, []).slice(0, MOST_TRAITS - Math.min(2, identities.length))
  const sought = [...traits, ...traitsOf([], identities)].slice(0, MOST_TRAITS)
  return [
    ...(point ? gridRange(point) : []).map(({ row, from, to }) => ({
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

export type Found = { entry: ReturnType<typeof readEntry>; identified: boolean }

/** Which of those that were found are look-alikes. Pure. */
export function judged(it: Sought, found: readonly Found[]): Similar[] {
  const others = new Map(found.map((each) => [each.entry.entity_id, each]))
  if (it.entity_id) others.delete(it.entity_id)
  const self = thingOf(it)
  return [...others.values()]
    .flatMap(({ entry, identified }): Similar[] => {
      const { entity_id, kind, id, names } = entry
      const how = identified ? 'same_identity' : looksAlike(self, thingOf(entry), kind !== it.kind)
      return how ? [{ entity_id, kind, id, names, how }] : []
    })
    .slice(0, MOST)
}

const thingOf = ({ names, point }: Pick<Indexed, 'names' | 'point'>): Thing => ({ names, ...(point && { point }) })
