import * as v from 'valibot'
import { cut, fold, gridCell, likenessKeys } from '../../engines/matching/index.ts'
import { type Key, putEntry, removeEntry, type Write } from '../../engines/table/index.ts'
import { key } from '../table/keys.ts'
import { familyOf } from './families.ts'

/** A record or user with the members by which it is found: names, the identifier of its source, and its place. */
export type Indexed = {
  entity_id: string
  kind: string
  id: number | string
  names: readonly string[]
  identifier?: string | undefined
  /** Further identities, such as `wd:Q1001415`. Absent for what is never compared by identity, such as people. */
  identities?: readonly string[]
  point?: { lat: number; lng: number } | null | undefined
}

const Entry = v.object({
  entity_id: v.string(),
  kind: v.string(),
  id: v.union([v.number(), v.string()]),
  names: v.array(v.string()),
  point: v.nullable(v.object({ lat: v.number(), lng: v.number() })),
})
export const readEntry = (stored: unknown) => v.parse(Entry, stored)

/** The traits by which look-alikes are found: spellings of names, and identities, which begin with "=". */
export const traitsOf = (names: readonly string[], identities: readonly string[]): string[] => [
  ...likenessKeys(names),
  ...identities.map((it) => `=${it}`),
]

/** A name as keys contain it: folded, and cut to 200 characters. */
export const foldedName = (name: string): string => cut(fold(name), 200)

/** The most names of one record that are indexed. Further names are shown but not found. */
const MOST_NAMES = 12

/** Returns the writes that turn the entries of `before` into those of `after`. Undefined means no entries. */
export function indexWrites(before: Indexed | undefined, after: Indexed | undefined): Write[] {
  const old = entriesOf(before)
  const next = entriesOf(after)
  return [
    ...[...next].filter(([place, it]) => hasChanged(old.get(place), it)).map(([, it]) => putEntry(it.key, it.entry)),
    ...[...old].filter(([place]) => !next.has(place)).map(([, it]) => removeEntry(it.key)),
  ]
}

type PlacedEntry = { key: Key; entry: v.InferOutput<typeof Entry> }

function entriesOf(it: Indexed | undefined): Map<string, PlacedEntry> {
  if (!it) return new Map()
  const entry = { entity_id: it.entity_id, kind: it.kind, id: it.id, names: [...it.names], point: it.point ?? null }
  const folded = [...new Set(it.names.map(foldedName))].filter(Boolean).slice(0, MOST_NAMES)
  const keys = folded.map((name) => key.name(it.kind, name, it.entity_id))
  if (it.identities)
    keys.push(...traitsOf(it.names, it.identities).map((trait) => key.alike(familyOf(it.kind), trait, it.entity_id)))
  if (it.identifier) keys.push(key.identifier(it.kind, it.identifier, it.entity_id))
  if (it.point) {
    const cell = gridCell(it.point)
    keys.push(key.grid(it.kind, cell.row, cell.col, it.entity_id))
  }
  return new Map(keys.map((at) => [`${at.pk} ${at.sk}`, { key: at, entry }]))
}

const hasChanged = (old: PlacedEntry | undefined, next: PlacedEntry) =>
  old === undefined || JSON.stringify(old.entry) !== JSON.stringify(next.entry)
