import { fold, gridCellsNear, looksAlike, similarity } from '../../engines/matching/index.ts'
import { readEntry } from '../../platform/name-index/entries.ts'
import type { Header } from '../records/build.ts'
import {
  type FoundEntry,
  type LookAlike,
  type LookupRange,
  lookupRangesFor,
  MOST_PER_RANGE,
  pickLookAlikes,
} from '../records/look-alikes.ts'
import { findWanted, type Wanted, wantText } from './sweep.ts'

/** A look-alike of a row: a record, or an earlier row of the same table. */
export type RowLookAlike = {
  entity_id: string | null
  row: number | null
  name: string
  how: LookAlike['how']
  /** How much the names are alike, from 0 to 1. */
  likeness: number
}

type Row = { row: number; header: Header }

/**
 * Finds the look-alikes of rows among all records, among these rows, and among the rows before them. It compares as a single
 * contribution is compared. Afterwards these rows are among the earlier ones.
 */
export async function findLookAlikes(
  kind: string,
  rows: readonly Row[],
  earlier: EarlierRows,
): Promise<Map<number, RowLookAlike[]>> {
  const places = new Map(rows.map((it) => [it.row, lookupRangesFor(thing(kind, it.header)).map(cellsOf)]))
  const wanted: Wanted = new Map()
  for (const { pk, prefixes } of [...places.values()].flat())
    for (const prefix of prefixes) wantText(wanted, pk, prefix)
  const found = new Map<string, ReturnType<typeof readEntry>[]>()
  await findWanted(wanted, MOST_PER_RANGE, (pk, prefix, item) => {
    const place = `${pk} ${prefix}`
    found.set(place, [...(found.get(place) ?? []), readEntry(item)])
  })
  const alike = new Map<number, RowLookAlike[]>()
  for (const it of rows) {
    const at = places.get(it.row) ?? []
    const entries = at.flatMap(({ pk, prefixes, identified }) =>
      prefixes.flatMap((prefix) =>
        (found.get(`${pk} ${prefix}`) ?? []).map((entry): FoundEntry => ({ entry, identified })),
      ),
    )
    const all = [...recordsLike(kind, it, entries), ...earlier.like(it, at)]
    if (all.length > 0) alike.set(it.row, all)
    earlier.add(it, standsAt(kind, it.header, at))
  }
  return alike
}

const thing = (kind: string, { names, identities, point }: Header) => ({ kind, names, identities, point })

/** The keys under which later rows find this row: its names and identities, and the one grid cell that it is in. */
const standsAt = (kind: string, { point }: Header, at: readonly Cells[]): Cells[] => [
  ...at.filter(({ pk }) => !pk.startsWith('GRID#')),
  ...(point ? gridCellsNear(point, 0) : []).map(({ row, from }) => ({
    pk: `GRID#${kind}#${row}`,
    identified: false,
    prefixes: [from],
  })),
]

/** A range of grid cells as a list of single cells. */
function cellsOf({ pk, from, to, identified }: LookupRange) {
  if (from === to) return { pk, identified, prefixes: [from] }
  const [first, last] = [Number(from), Number(to)]
  const prefixes = Array.from({ length: last - first + 1 }, (_, i) => String(first + i).padStart(from.length, '0'))
  return { pk, identified, prefixes }
}
type Cells = ReturnType<typeof cellsOf>

const recordsLike = (kind: string, { header }: Row, entries: readonly FoundEntry[]): RowLookAlike[] =>
  pickLookAlikes(thing(kind, header), entries).map(({ entity_id, names, how }) => ({
    entity_id,
    row: null,
    name: names[0] ?? '',
    how,
    likeness: nameLikeness(header.names, names),
  }))

/** Of an earlier row, only what later rows are compared with. */
type Kept = { row: number; header: ReturnType<typeof plain> }

/** The earlier rows, by the keys under which their look-alikes are searched. */
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
        else if (there.length < MOST_PER_RANGE) there.push(kept)
      }
    },
    like: ({ header }: Row, places: readonly Cells[]): RowLookAlike[] => {
      const others = new Map<number, { other: Kept; identified: boolean }>()
      for (const { key, identified } of keysOf(places))
        for (const other of at.get(key) ?? [])
          others.set(other.row, { other, identified: identified || others.get(other.row)?.identified === true })
      return [...others.values()]
        .slice(0, MOST_COMPARED)
        .flatMap(({ other, identified }): RowLookAlike[] => {
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

/** Rows compared under one key at most. Otherwise a table with all rows in one place would compare each row with every other. */
const MOST_COMPARED = 100

const plain = ({ names, point }: Header) => ({ names, ...(point && { point }) })

const nameLikeness = (a: readonly string[], b: readonly string[]): number =>
  Math.round(100 * Math.max(0, ...a.flatMap((x) => b.map((y) => similarity(fold(x), fold(y)))))) / 100
