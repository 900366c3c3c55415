import { fold } from '../matching/fold.ts'
import { gridRange } from '../matching/geo.ts'
import { looksAlike, similarity } from '../matching/likeness.ts'
import { readEntry } from '../names/index.ts'
import type { Header } from '../records/build.ts'
import { type Found, judged, MOST_AT_ONE_PLACE, type Place, placesFor, type Similar } from '../records/look-alikes.ts'
import { sweep, type Wanted, want } from './sweep.ts'

/** What a row looks like: a record, or an earlier row of the same table. */
export type Alike = {
  entity_id: string | null
  row: number | null
  name: string
  how: Similar['how']
  /** How alike the names are, from 0 to 1. */
  likeness: number
}

type Row = { row: number; header: Header }

/**
 * Finds what rows look like, against everything, each other and the rows before them, as a single contribution is compared. They are among
 * the earlier rows afterwards.
 */
export async function lookAlikes(
  kind: string,
  rows: readonly Row[],
  earlier: EarlierRows,
): Promise<Map<number, Alike[]>> {
  const places = new Map(rows.map((it) => [it.row, placesFor(thing(kind, it.header)).map(cellsOf)]))
  const wanted: Wanted = new Map()
  for (const { pk, prefixes } of [...places.values()].flat()) for (const prefix of prefixes) want(wanted, pk, prefix)
  const found = new Map<string, ReturnType<typeof readEntry>[]>()
  await sweep(wanted, MOST_AT_ONE_PLACE, (pk, prefix, item) => {
    const place = `${pk} ${prefix}`
    found.set(place, [...(found.get(place) ?? []), readEntry(item)])
  })
  const alike = new Map<number, Alike[]>()
  for (const it of rows) {
    const at = places.get(it.row) ?? []
    const entries = at.flatMap(({ pk, prefixes, identified }) =>
      prefixes.flatMap((prefix) => (found.get(`${pk} ${prefix}`) ?? []).map((entry): Found => ({ entry, identified }))),
    )
    const all = [...recordsLike(kind, it, entries), ...earlier.like(it, at)]
    if (all.length > 0) alike.set(it.row, all)
    earlier.add(it, standsAt(kind, it.header, at))
  }
  return alike
}

const thing = (kind: string, { names, identities, point }: Header) => ({ kind, names, identities, point })

/** Where others find a row: under the same names and identities, and in the one cell that it stands in. */
const standsAt = (kind: string, { point }: Header, at: readonly Cells[]): Cells[] => [
  ...at.filter(({ pk }) => !pk.startsWith('GRID#')),
  ...(point ? gridRange(point, 0) : []).map(({ row, from }) => ({
    pk: `GRID#${kind}#${row}`,
    identified: false,
    prefixes: [from],
  })),
]

/** A range of cells as each of them. */
function cellsOf({ pk, from, to, identified }: Place) {
  if (from === to) return { pk, identified, prefixes: [from] }
  const [first, last] = [Number(from), Number(to)]
  const prefixes = Array.from({ length: last - first + 1 }, (_, i) => String(first + i).padStart(from.length, '0'))
  return { pk, identified, prefixes }
}
type Cells = ReturnType<typeof cellsOf>

const recordsLike = (kind: string, { header }: Row, entries: readonly Found[]): Alike[] =>
  judged(thing(kind, header), entries).map(({ entity_id, names, how }) => ({
    entity_id,
    row: null,
    name: names[0] ?? '',
    how,
    likeness: nameLikeness(header.names, names),
  }))

/** Of a row that is looked at no more only what later ones are compared with. */
type Kept = { row: number; header: ReturnType<typeof plain> }

/** The rows so far, by where their look-alikes would be looked for. */
export type EarlierRows = ReturnType<typeof earlierRows>
export function earlierRows() {
  const at = new Map<string, Kept[]>()
  const keysOf = (places: readonly Cells[]) =>
    places.flatMap(({ pk, prefixes, identified }) => prefixes.map((prefix) => ({ key: `${pk} ${prefix}`, identified })))
  return {
    add: (it: Row, places: readonly Cells[]) => {
      const kept = { row: it.row, header: plain(it.header) }
      for (const { key } of keysOf(places)) {
        const there = at.get(key)
        if (!there) at.set(key, [kept])
        else if (there.length < MOST_AT_ONE_PLACE) there.push(kept)
      }
    },
    like: ({ header }: Row, places: readonly Cells[]): Alike[] => {
      const others = new Map<number, { other: Kept; identified: boolean }>()
      for (const { key, identified } of keysOf(places))
        for (const other of at.get(key) ?? [])
          others.set(other.row, { other, identified: identified || others.get(other.row)?.identified === true })
      return [...others.values()]
        .slice(0, MOST_COMPARED)
        .flatMap(({ other, identified }): Alike[] => {
          const how = identified ? 'same_identity' : looksAlike(plain(header), other.header)
          if (!how) return []
          const [name = ''] = other.header.names
          return [
            { entity_id: null, row: other.row, name, how, likeness: nameLikeness(header.names, other.header.names) },
          ]
        })
        .slice(0, 5)
    },
  }
}

/** A table of which all rows stand on one spot would compare each with all. */
const MOST_COMPARED = 100

const plain = ({ names, point }: Header) => ({ names, ...(point && { point }) })

const nameLikeness = (a: readonly string[], b: readonly string[]): number =>
  Math.round(100 * Math.max(0, ...a.flatMap((x) => b.map((y) => similarity(fold(x), fold(y)))))) / 100
