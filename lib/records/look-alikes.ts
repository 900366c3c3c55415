import { gridRange } from '../matching/geo.ts'
import { looksAlike } from '../matching/likeness.ts'
import { foldedName, type Indexed, readEntry } from '../names/index.ts'
import { key } from '../table/keys.ts'
import { queryBetween } from '../table/read.ts'

export type Similar = {
  entity_id: string
  kind: string
  id: number | string
  names: string[]
  how: 'same_name' | 'close'
}

/** At most this many look-alikes are looked for and reported; a name that more records share says nothing. */
const MOST = 5

/**
 * Records of the same kind that look like the same thing: one call per distinct name and, with a point, one per grid
 * row within 150 m (two or three).
 */
export async function similarTo(it: Omit<Indexed, 'entity_id' | 'id'> & { entity_id?: string }): Promise<Similar[]> {
  const folded = [...new Set(it.names.map(foldedName))].filter(Boolean).slice(0, 4)
  const ranges = [
    ...folded.map((name) => ({ pk: key.name(it.kind, name, '').pk, from: `${name}#`, to: `${name}#~` })),
    ...(it.point ? gridRange(it.point) : []).map(({ row, from, to }) => ({
      pk: `GRID#${it.kind}#${row}`,
      from: `${from}#`,
      to: `${to}#~`,
    })),
  ]
  const entries = (await Promise.all(ranges.map(({ pk, from, to }) => queryBetween(pk, from, to, 50)))).flat()
  const others = new Map(entries.map(readEntry).map((entry) => [entry.entity_id, entry]))
  if (it.entity_id) others.delete(it.entity_id)
  const self = { names: [...it.names], ...(it.point && { point: it.point }) }
  return [...others.values()]
    .flatMap((other) => {
      const how = looksAlike(self, { names: other.names, ...(other.point && { point: other.point }) })
      return how ? [{ entity_id: other.entity_id, kind: other.kind, id: other.id, names: other.names, how }] : []
    })
    .slice(0, MOST)
}
