import { gridRange } from '../matching/geo.ts'
import { looksAlike, type Thing } from '../matching/likeness.ts'
import { familyOf } from '../names/identities.ts'
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

type Sought = Pick<Indexed, 'kind' | 'names' | 'identities' | 'point'> & { entity_id?: string }

/**
 * Records that look like the same thing: of the same kind, or of another one under which it may be recorded, a festival as an event.
 * One call per spelling of a name and per identity, and with a point one per grid row within 150 m (two or three).
 */
export async function similarTo(it: Sought): Promise<Similar[]> {
  const [alike, near] = await Promise.all([withOneTrait(it), nearBy(it)])
  const others = new Map([...near, ...alike].map((found) => [found.entry.entity_id, found]))
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

type Found = { entry: ReturnType<typeof readEntry>; identified: boolean }

/** Those that share a spelling or an identity, the latter last, so that they are taken as such. */
async function withOneTrait({ kind, names, identities = [] }: Sought): Promise<Found[]> {
  const traits = traitsOf(names, []).slice(0, MOST_TRAITS - Math.min(2, identities.length))
  const sought = [...traits, ...traitsOf([], identities)].slice(0, MOST_TRAITS)
  const found = await Promise.all(
    sought.map(async (trait) =>
      (await queryBetween(key.alike(familyOf(kind), trait, '').pk, `${trait}#`, `${trait}#~`, 50)).map((entry) => ({
        entry: readEntry(entry),
        identified: trait.startsWith('='),
      })),
    ),
  )
  return found.flat()
}

async function nearBy({ kind, point }: Sought): Promise<Found[]> {
  const ranges = point ? gridRange(point) : []
  const found = await Promise.all(
    ranges.map(({ row, from, to }) => queryBetween(`GRID#${kind}#${row}`, `${from}#`, `${to}#~`, 50)),
  )
  return found.flat().map((entry) => ({ entry: readEntry(entry), identified: false }))
}

const thingOf = ({ names, point }: Pick<Indexed, 'names' | 'point'>): Thing => ({ names, ...(point && { point }) })
