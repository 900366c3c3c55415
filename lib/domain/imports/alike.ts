import '../search-words/name-words.ts'
import { fold, gridCellsNear, looksAlike, similarity } from '../../engines/matching/index.ts'
import { readEntry } from '../../platform/name-index/entries.ts'
import { type Actor, mayInspect } from '../../platform/permissions.ts'
import type { Header } from '../records/build.ts'
import { withOneTown } from '../records/likeness/known-towns.ts'
import {
  type FoundEntry,
  type LookAlike,
  type LookupRange,
  lookupRangesFor,
  MOST_LOOK_ALIKES,
  MOST_PER_RANGE,
  pickLookAlikes,
} from '../records/likeness/look-alikes.ts'
import { KeySearch } from './key-search.ts'
import { loadHeads } from './known.ts'

/** A look-alike of a row: a record, or an earlier row of the same table. */
export type RowLookAlike = {
  entity_id: string | null
  row: number | null
  name: string
  how: LookAlike['how']
  /** How alike the names are, from 0 to 1. */
  likeness: number
}

type NewRow = { row: number; header: Header }

/**
 * Finds the look-alikes of rows among the records that the sender may see, among these rows, and among earlier rows. They are compared as a
 * single contribution is. Adds these rows to `earlier`.
 */
export async function findLookAlikes(
  kind: string,
  rows: readonly NewRow[],
  earlier: EarlierRows,
  sender: Actor,
): Promise<Map<number, RowLookAlike[]>> {
  const rangesByRow = new Map(
    rows.map(({ row, header }) => [row, lookupRangesFor(comparedParts(kind, header)).map(listKeys)]),
  )
  const entriesByKey = await searchEntries([...rangesByRow.values()].flat())
  const alike = new Map<number, RowLookAlike[]>()
  const records = new Map<number, RowLookAlike[]>()
  for (const row of rows) {
    const ranges = rangesByRow.get(row.row) ?? []
    const entries = keysIn(ranges).flatMap(({ key, identified }) =>
      (entriesByKey.get(key) ?? []).map((entry): FoundEntry => ({ entry, identified })),
    )
    records.set(row.row, await recordsLike(kind, row, entries))
    alike.set(row.row, earlier.like(row, ranges))
    earlier.add(row, ownRanges(kind, row.header, ranges))
  }
  const isVisible = await visibilityOf([...records.values()].flat(), sender)
  for (const [row, others] of records)
    alike.set(row, [...others.filter(isVisible).slice(0, MOST_LOOK_ALIKES), ...(alike.get(row) ?? [])])
  return alike
}

/** Returns a test: whether the sender may see the record of a look-alike. One call for each hundred records. */
async function visibilityOf(lookAlikes: readonly RowLookAlike[], sender: Actor) {
  const heads = await loadHeads([...new Set(lookAlikes.flatMap(({ entity_id }) => entity_id ?? []))])
  return ({ entity_id }: RowLookAlike): boolean => {
    const head = heads.get(entity_id ?? '')
    return head !== undefined && !head.deleted_at && mayInspect(sender, head)
  }
}

/** The entries of the name index in these ranges, by key. */
async function searchEntries(ranges: readonly KeyRange[]): Promise<Map<string, FoundEntry['entry'][]>> {
  const search = new KeySearch()
  for (const { pk, prefixes } of ranges) for (const prefix of prefixes) search.add(pk, prefix)
  const entries = new Map<string, FoundEntry['entry'][]>()
  await search.run(MOST_PER_RANGE, (pk, prefix, item) => {
    const key = `${pk} ${prefix}`
    entries.set(key, [...(entries.get(key) ?? []), readEntry(item)])
  })
  return entries
}

const comparedParts = (kind: string, { names, identities, point }: Header) => ({ kind, names, identities, point })

/** A range of the name index as a list of its keys. `identified`: a record under these keys shares an identity with the row. */
type KeyRange = { pk: string; prefixes: string[]; identified: boolean }

/** A range of grid cells becomes single cells. Any other range is one key. */
function listKeys({ pk, from, to, identified }: LookupRange): KeyRange {
  if (from === to) return { pk, identified, prefixes: [from] }
  const [first, last] = [Number(from), Number(to)]
  const prefixes = Array.from({ length: last - first + 1 }, (_, i) => String(first + i).padStart(from.length, '0'))
  return { pk, identified, prefixes }
}

const keysIn = (ranges: readonly KeyRange[]): { key: string; identified: boolean }[] =>
  ranges.flatMap(({ pk, prefixes, identified }) => prefixes.map((prefix) => ({ key: `${pk} ${prefix}`, identified })))

/** The ranges in which later rows find this row: its names and identities, and the one grid cell that it is in. */
const ownRanges = (kind: string, { point }: Header, ranges: readonly KeyRange[]): KeyRange[] => [
  ...ranges.filter(({ pk }) => !pk.startsWith('GRID#')),
  ...(point ? gridCellsNear(point, 0) : []).map(({ row, from }) => ({
    pk: `GRID#${kind}#${row}`,
    identified: false,
    prefixes: [from],
  })),
]

async function recordsLike(kind: string, { header }: NewRow, entries: readonly FoundEntry[]): Promise<RowLookAlike[]> {
  const found = await pickLookAlikes(comparedParts(kind, header), entries, withOneTown)
  return found.map(({ entity_id, names, how }) => ({
    entity_id,
    row: null,
    name: names[0] ?? '',
    how,
    likeness: nameLikeness(header.names, names),
  }))
}

/** The most rows with which one row is compared. Without a limit, all rows of a table of one place would be compared with each other. */
const COMPARED_ROWS = 100
/** The most earlier rows that are named as look-alikes of one row. */
const NAMED_ROWS = 5

/** An earlier row: only what later rows are compared with. */
type EarlierRow = { row: number; header: ReturnType<typeof namesAndPoint> }

/** The earlier rows of a table, by the keys under which their look-alikes are searched. */
export class EarlierRows {
  readonly #byKey = new Map<string, EarlierRow[]>()

  add({ row, header }: NewRow, ranges: readonly KeyRange[]): void {
    const earlier = { row, header: namesAndPoint(header) }
    for (const { key } of keysIn(ranges)) {
      const rows = this.#byKey.get(key)
      if (!rows) this.#byKey.set(key, [earlier])
      else if (rows.length < MOST_PER_RANGE) rows.push(earlier)
    }
  }

  /** The earlier rows that look like this row. */
  like({ header }: NewRow, ranges: readonly KeyRange[]): RowLookAlike[] {
    const candidates = new Map<number, { other: EarlierRow; identified: boolean }>()
    for (const { key, identified } of keysIn(ranges))
      for (const other of this.#byKey.get(key) ?? [])
        candidates.set(other.row, { other, identified: identified || candidates.get(other.row)?.identified === true })
    return [...candidates.values()]
      .slice(0, COMPARED_ROWS)
      .flatMap(({ other, identified }): RowLookAlike[] => {
        const how = identified ? 'same_identity' : looksAlike(namesAndPoint(header), other.header)
        if (!how) return []
        const [name = ''] = other.header.names
        const likeness = nameLikeness(header.names, other.header.names)
        return [{ entity_id: null, row: other.row, name, how, likeness }]
      })
      .slice(0, NAMED_ROWS)
  }
}

const namesAndPoint = ({ names, point }: Header) => ({ names, ...(point && { point }) })

/** The likeness of the two names that are most alike, from 0 to 1. */
const nameLikeness = (a: readonly string[], b: readonly string[]): number =>
  Math.round(100 * Math.max(0, ...a.flatMap((x) => b.map((y) => similarity(fold(x), fold(y)))))) / 100
