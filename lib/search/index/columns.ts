import { isForEveryone, type Scope } from '../../permissions.ts'
import type { Document } from '../document.ts'

/**
 * What is filtered and sorted by, one typed array per member, indexed by the number of a document. Documents of the
 * snapshot come first, then those that changed since; one that was replaced stays as a hole that is not alive.
 */
export type Columns = {
  size: number
  /** Bits: 8 of resource, 8 of status, then published, of the public tier, alive; 13 of category. */
  flags: Uint32Array
  contributor: Uint32Array
  created: Float64Array
  updated: Float64Array
  popularity: Float32Array
  /** Where its title stands among all titles. */
  name: Float64Array
  /** The beginning of its id, which settles ties. */
  order: Float64Array
}

const STATUS = 8
const CATEGORY = 19
export const PUBLISHED = 1 << 16
export const OPEN_TIER = 1 << 17
export const ALIVE = 1 << 18
export const resourceIn = (flags: number) => flags & 255
export const statusIn = (flags: number) => (flags >> STATUS) & 255
export const categoryIn = (flags: number) => (flags >> CATEGORY) & 8191

const arrays = {
  flags: Uint32Array,
  contributor: Uint32Array,
  created: Float64Array,
  updated: Float64Array,
  popularity: Float32Array,
  name: Float64Array,
  order: Float64Array,
} as const
export const columnNames = ['flags', 'contributor', 'created', 'updated', 'popularity', 'name', 'order'] as const
export type ColumnName = (typeof columnNames)[number]

/** Room for so many documents, filled from the bytes of a snapshot where there are any. */
export function columnsFrom(size: number, bytes: (name: ColumnName) => Uint8Array | undefined): Columns {
  const room = size + SLACK
  const filled = <T extends { buffer: ArrayBufferLike }>(array: T, name: ColumnName): T => {
    const stored = bytes(name)
    if (stored) new Uint8Array(array.buffer).set(stored)
    return array
  }
  return {
    size,
    flags: filled(new Uint32Array(room), 'flags'),
    contributor: filled(new Uint32Array(room), 'contributor'),
    created: filled(new Float64Array(room), 'created'),
    updated: filled(new Float64Array(room), 'updated'),
    popularity: filled(new Float32Array(room), 'popularity'),
    name: filled(new Float64Array(room), 'name'),
    order: filled(new Float64Array(room), 'order'),
  }
}

/** Room for changes before the arrays are copied into larger ones. */
const SLACK = 4096

/** What a document's row in the columns holds, given the numbers of its resource, status, category and contributor, and its place by name. */
export type Row = { resource: number; status: number; category: number; contributor: number; name: number }

/** Appends a row and answers its number. */
export function append(columns: Columns, it: Document, { resource, status, category, contributor, name }: Row): number {
  if (columns.size === columns.flags.length) grow(columns)
  const at = columns.size++
  columns.flags[at] =
    resource |
    (status << STATUS) |
    (category << CATEGORY) |
    (it.is_published ? PUBLISHED : 0) |
    (isForEveryone(it.access_tier) ? OPEN_TIER : 0) |
    ALIVE
  columns.contributor[at] = contributor
  columns.created[at] = Date.parse(it.created_at)
  columns.updated[at] = Date.parse(it.updated_at)
  columns.popularity[at] = it.popularity_score
  columns.name[at] = name
  columns.order[at] = placeOf(it.id)
  return at
}

function grow(columns: Columns): void {
  const room = columns.flags.length * 2
  for (const name of columnNames) {
    const grown = new arrays[name](room)
    grown.set(columns[name])
    Object.assign(columns, { [name]: grown })
  }
}

/** The bytes of a column, for a snapshot. */
export const columnBytes = (columns: Columns, name: ColumnName): Uint8Array => {
  const array = columns[name].subarray(0, columns.size)
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength)
}

/** The first 52 bits of a UUID as a number: of a record that is its kind and sequence. Other ids are hashed. */
export function placeOf(id: string): number {
  const hex = id.slice(0, 15).replaceAll('-', '')
  if (/^[0-9a-f]{13}$/.test(hex)) return Number.parseInt(hex, 16)
  let hash = 7
  for (const letter of id) hash = (hash * 31 + (letter.codePointAt(0) ?? 0)) % 4_503_599_627_370_449
  return hash
}

/**
 * Whose words a caller's are looked up among. To everyone: those of documents that everyone sees, so that hidden ones change
 * no public answer, not even by crowding out a spelling. To those signed in: all, since some hidden documents are their own.
 */
export const sights = ['anon', 'total'] as const
export type Sight = (typeof sights)[number]
export const sightOf = (scope: Scope): Sight => (scope.signedIn || scope.everything ? 'total' : 'anon')
/** What a document adds to, by its flags. */
export const seenBy = (flags: number): Record<Sight, 0 | 1> => ({
  anon: flags & PUBLISHED && flags & OPEN_TIER ? 1 : 0,
  total: 1,
})
