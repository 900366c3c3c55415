import { once } from '../../../base/once.ts'
import { canRead, isCoarse, isForEveryone, type Reader, type Scope } from '../../../base/visibility.ts'
import { type Point, roundPoint } from '../../matching/index.ts'
import type { SearchDocument } from '../document.ts'
import { vocabularyFacets } from '../vocabulary.ts'
import { facetLabel } from './links.ts'

/**
 * The columns by which documents are filtered, counted and sorted: typed arrays, indexed by a document's number.
 *
 * Documents of the snapshot come first, then changed ones. When a document is replaced, its old row stays without the
 * flag `ALIVE`. Each facet of the vocabulary has a column, too.
 */
const arrays = {
  flags: Uint8Array,
  resource: Uint16Array,
  status: Uint16Array,
  category: Uint32Array,
  contributor: Uint32Array,
  created: Float64Array,
  updated: Float64Array,
  popularity: Float32Array,
  /** The rank of the title among all titles in alphabetical order. */
  name: Float64Array,
  /** The beginning of the id as a number. It settles ties. */
  order: Float64Array,
  /** In degrees; NaN without a place. Places of coarse tiers are rounded to a tenth of a degree. */
  lat: Float64Array,
  lng: Float64Array,
  /** Years of our era. An open end is infinite; NaN without years. */
  from: Float32Array,
  to: Float32Array,
} as const

type Arrays = typeof arrays
type ColumnName = keyof Arrays
export type Columns = { size: number; facets: Record<string, Uint16Array<ArrayBuffer>> } & {
  [Name in ColumnName]: InstanceType<Arrays[Name]>
}
const isColumn = (name: string): name is ColumnName => name in arrays
const plainColumns: readonly ColumnName[] = Object.keys(arrays).filter(isColumn)
/** The names of the columns in a snapshot. */
export const columnNames = (): string[] => [...plainColumns, ...vocabularyFacets().map(facetColumn)]
const facetColumn = (facet: string) => `facet ${facet}`

export const PUBLISHED = 1
const OPEN_TIER = 2
export const ALIVE = 4
export const APPROXIMATE = 8
const ALL_FLAGS = PUBLISHED | OPEN_TIER | ALIVE | APPROXIMATE

/** Numbers texts from 0, so that a column can hold them. Beyond `most` texts, new ones get the number of ''. */
export class Numbering {
  readonly texts: string[]
  readonly #numbers: Map<string, number>
  readonly #most: number
  constructor(known: readonly string[] = [''], most = MOST_LABELS) {
    this.texts = [...known]
    this.#numbers = new Map(known.map((text, i) => [text, i]))
    this.#most = most
  }
  of(text: string): number {
    const known = this.#numbers.get(text)
    if (known !== undefined) return known
    if (this.texts.length >= this.#most) return 0
    this.#numbers.set(text, this.texts.length)
    return this.texts.push(text) - 1
  }
}

/** The most different labels of a column: its numbers have 16 bits. */
export const MOST_LABELS = 2 ** 16

/** The texts that the numbers in the columns stand for. */
export type Labels = Record<'resource' | 'status' | 'category', Numbering> & { facets: Record<string, Numbering> }
/** The same as a snapshot stores them. */
export type LabelTexts = Record<'resource' | 'status' | 'category', readonly string[]> & {
  facets: Record<string, readonly string[]>
}
export const labelsFrom = (known?: LabelTexts): Labels => ({
  resource: new Numbering(known?.resource),
  status: new Numbering(known?.status),
  category: new Numbering(known?.category, 2 ** 32),
  facets: byFacet((facet) => new Numbering(known?.facets[facet])),
})
export const textsOf = ({ resource, status, category, facets }: Labels): LabelTexts => ({
  resource: resource.texts,
  status: status.texts,
  category: category.texts,
  facets: byFacet((facet) => facets[facet]?.texts ?? ['']),
})
const byFacet = <T>(make: (facet: string) => T): Record<string, T> =>
  Object.fromEntries(vocabularyFacets().map((facet) => [facet, make(facet)]))

/** Makes columns for `size` documents. `bytes` returns what a snapshot holds of a column, if anything. */
export function columnsFrom(size: number, bytes: (name: string) => Uint8Array | undefined): Columns {
  const columns = emptyColumns(size + SLACK)
  columns.size = size
  const fill = (column: Arrayed, name: string) => {
    const stored = bytes(name)
    if (stored) new Uint8Array(column.buffer).set(stored)
  }
  for (const name of plainColumns) fill(columns[name], name)
  for (const [facet, column] of Object.entries(columns.facets)) fill(column, facetColumn(facet))
  return columns
}
type Arrayed = Columns[ColumnName]

const emptyColumns = (room: number): Columns => ({
  size: 0,
  flags: new Uint8Array(room),
  resource: new Uint16Array(room),
  status: new Uint16Array(room),
  category: new Uint32Array(room),
  contributor: new Uint32Array(room),
  created: new Float64Array(room),
  updated: new Float64Array(room),
  popularity: new Float32Array(room),
  name: new Float64Array(room),
  order: new Float64Array(room),
  lat: new Float64Array(room),
  lng: new Float64Array(room),
  from: new Float32Array(room),
  to: new Float32Array(room),
  facets: byFacet(() => new Uint16Array(room)),
})

/** Room for this many changes, before the arrays are copied into larger ones. */
const SLACK = 4096

/** Appends a document and returns its number. `row`: the number of its contributor, and the rank of its title. */
export function appendRow(
  columns: Columns,
  labels: Labels,
  it: SearchDocument,
  row: { contributor: number; name: number },
): number {
  if (columns.size === columns.flags.length) grow(columns)
  const at = columns.size++
  columns.flags[at] =
    (it.is_published ? PUBLISHED : 0) |
    (isForEveryone(it.access_tier) ? OPEN_TIER : 0) |
    (it.years?.approximate ? APPROXIMATE : 0) |
    ALIVE
  columns.resource[at] = labels.resource.of(it.resource)
  columns.status[at] = labels.status.of(it.status ?? '')
  columns.category[at] = labels.category.of(it.category ?? '')
  for (const [facet, column] of Object.entries(columns.facets))
    column[at] = labels.facets[facet]?.of(facetLabel(it, facet)) ?? 0
  columns.contributor[at] = row.contributor
  columns.created[at] = Date.parse(it.created_at)
  columns.updated[at] = Date.parse(it.updated_at)
  columns.popularity[at] = it.popularity_score
  columns.name[at] = row.name
  columns.order[at] = numberFromId(it.id)
  const point = coarsenPoint(it)
  columns.lat[at] = point?.lat ?? Number.NaN
  columns.lng[at] = point?.lng ?? Number.NaN
  columns.from[at] = it.years ? (it.years.from ?? Number.NEGATIVE_INFINITY) : Number.NaN
  columns.to[at] = it.years ? (it.years.to ?? Number.POSITIVE_INFINITY) : Number.NaN
  return at
}

/** The place that search shows to everybody: for records of coarse tiers rounded to a tenth of a degree. */
export const coarsenPoint = ({ point, access_tier }: Pick<SearchDocument, 'point' | 'access_tier'>): Point | null =>
  point && isCoarse(access_tier) ? roundPoint(point) : point

function grow(columns: Columns): void {
  const room = columns.flags.length * 2
  for (const name of plainColumns) {
    const grown = new arrays[name](room)
    grown.set(columns[name])
    Object.assign(columns, { [name]: grown })
  }
  for (const [facet, column] of Object.entries(columns.facets)) {
    columns.facets[facet] = new Uint16Array(room)
    columns.facets[facet].set(column)
  }
}

/** The columns as a snapshot stores them. */
export function* columnBytes(columns: Columns): Iterable<[name: string, bytes: Uint8Array]> {
  const bytes = (array: Arrayed) =>
    new Uint8Array(array.buffer, array.byteOffset, columns.size * array.BYTES_PER_ELEMENT)
  for (const name of plainColumns) yield [name, bytes(columns[name])]
  for (const [facet, column] of Object.entries(columns.facets)) yield [facetColumn(facet), bytes(column)]
}

/** The first 52 bits of a UUID as a number. They sort records by kind and sequence number. Other ids are hashed. */
export function numberFromId(id: string): number {
  const hex = id.slice(0, 15).replaceAll('-', '')
  if (/^[0-9a-f]{13}$/.test(hex)) return Number.parseInt(hex, 16)
  let hash = 7
  for (const letter of id) hash = (hash * 31 + (letter.codePointAt(0) ?? 0)) % 4_503_599_627_370_449
  return hash
}

/**
 * Each word has two counts of documents. `anon` counts those that everyone may see. So hidden documents change no
 * public answer, not even by crowding out a spelling. `total` counts all. Signed-in callers get it, since some hidden
 * documents are their own.
 */
export const tallies = ['anon', 'total'] as const
export type Tally = (typeof tallies)[number]
export const tallyFor = (scope: Scope): Tally => (scope.signedIn || scope.everything ? 'total' : 'anon')
/** Which counts a document with these flags adds 1 to. */
export const tallyFlags = (flags: number): Record<Tally, 0 | 1> => ({
  anon: publicFlags()[flags | ALIVE] === 1 ? 1 : 0,
  total: 1,
})
const publicFlags = once(() => readableFlags({ signedIn: false, everything: false }, false))

/** A table indexed by flags: 1 if the reader may see a document with them, else 0. */
export const readableFlags = (reader: Reader, isOwn: boolean): Uint8Array =>
  Uint8Array.from({ length: ALL_FLAGS + 1 }, (_, flags) => {
    const has = (flag: number) => (flags & flag) !== 0
    // A row that is not alive was replaced or removed: nobody sees it.
    const facts = { isDeleted: false, isPublished: has(PUBLISHED), isForEveryone: has(OPEN_TIER), isOwn }
    return has(ALIVE) && canRead(facts, reader) ? 1 : 0
  })
