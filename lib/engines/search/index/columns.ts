import * as v from 'valibot'
import { once } from '../../../base/once.ts'
import { canRead, isCoarse, isForEveryone, type Reader, type Scope } from '../../../base/visibility.ts'
import { type Point, roundPoint } from '../../matching/index.ts'
import type { SearchDocument } from '../document.ts'
import { vocabularyFacets } from '../vocabulary.ts'
import { facetLabel } from './links.ts'

/**
 * The columns by which documents are filtered, counted and sorted: typed arrays, indexed by a document's number.
 *
 * Documents of the snapshot come first, then changed documents. When a document is replaced, its old row remains without
 * the flag `ALIVE`. Each facet of the vocabulary also has a column.
 */
const arrays = {
  flags: Uint8Array,
  resource: Uint16Array,
  status: Uint16Array,
  /** All headings of a document as one label (`headingsLabel`). */
  headings: Uint32Array,
  contributor: Uint32Array,
  created: Float64Array,
  updated: Float64Array,
  popularity: Float32Array,
  /** The rank of the title among all titles in alphabetical order. */
  name: Float64Array,
  /** The beginning of the id as a number. It orders documents that tie. */
  order: Float64Array,
  /** In degrees, NaN without a point. Points of coarse tiers are rounded to a tenth of a degree. */
  lat: Float64Array,
  lng: Float64Array,
  /** Years CE. An open end is infinite. NaN without years. */
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

/** Numbers texts from 0, so that a column can store them. After `most` texts, new texts get the number of ''. */
export class Numbering {
  readonly texts: string[]
  readonly #numbers: Map<string, number>
  readonly #most: number
  constructor(texts: readonly string[] = [''], most = MOST_LABELS) {
    this.texts = [...texts]
    this.#numbers = new Map(texts.map((text, i) => [text, i]))
    this.#most = most
  }
  of(text: string): number {
    const number = this.#numbers.get(text)
    if (number !== undefined) return number
    if (this.texts.length >= this.#most) return 0
    this.#numbers.set(text, this.texts.length)
    return this.texts.push(text) - 1
  }
}

/** The most labels of a column of 16-bit numbers. `headings` and `contributor` may have more: their numbers have 32 bits. */
export const MOST_LABELS = 2 ** 16

/** The texts behind the numbers in the columns. */
export type Labels = Record<'resource' | 'status' | 'headings', Numbering> & { facets: Record<string, Numbering> }
/** The labels in the form of a snapshot. */
export type LabelTexts = Record<'resource' | 'status' | 'headings', readonly string[]> & {
  facets: Record<string, readonly string[]>
}
export const labelsFrom = (stored?: LabelTexts): Labels => ({
  resource: new Numbering(stored?.resource),
  status: new Numbering(stored?.status),
  headings: new Numbering(stored?.headings, 2 ** 32),
  facets: byFacet((facet) => new Numbering(stored?.facets[facet])),
})
export const textsOf = ({ resource, status, headings, facets }: Labels): LabelTexts => ({
  resource: resource.texts,
  status: status.texts,
  headings: headings.texts,
  facets: byFacet((facet) => facets[facet]?.texts ?? ['']),
})
const byFacet = <T>(make: (facet: string) => T): Record<string, T> =>
  Object.fromEntries(vocabularyFacets().map((facet) => [facet, make(facet)]))

/** Makes columns for `size` documents. `bytes` returns the stored bytes of a column, or undefined. */
export function columnsFrom(size: number, bytes: (name: string) => Uint8Array | undefined): Columns {
  const columns = emptyColumns(size + FREE_ROWS)
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
  headings: new Uint32Array(room),
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

/** Free rows for changes. When they are full, the arrays are copied into larger ones. */
const FREE_ROWS = 4096

/** Appends a document and returns its number. `row`: the number of its contributor, and the rank of its title. */
export function appendRow(
  columns: Columns,
  labels: Labels,
  document: SearchDocument,
  row: { contributor: number; name: number },
): number {
  if (columns.size === columns.flags.length) grow(columns)
  const number = columns.size++
  columns.flags[number] =
    (document.is_published ? PUBLISHED : 0) |
    (isForEveryone(document.access_tier) ? OPEN_TIER : 0) |
    (document.years?.approximate ? APPROXIMATE : 0) |
    ALIVE
  columns.resource[number] = labels.resource.of(document.resource)
  columns.status[number] = labels.status.of(document.status ?? '')
  columns.headings[number] = labels.headings.of(headingsLabel(document))
  for (const [facet, column] of Object.entries(columns.facets))
    column[number] = labels.facets[facet]?.of(facetLabel(document, facet)) ?? 0
  columns.contributor[number] = row.contributor
  columns.created[number] = Date.parse(document.created_at)
  columns.updated[number] = Date.parse(document.updated_at)
  columns.popularity[number] = document.popularity_score
  columns.name[number] = row.name
  columns.order[number] = numberFromId(document.id)
  const point = coarsenPoint(document)
  columns.lat[number] = point?.lat ?? Number.NaN
  columns.lng[number] = point?.lng ?? Number.NaN
  columns.from[number] = document.years ? (document.years.from ?? Number.NEGATIVE_INFINITY) : Number.NaN
  columns.to[number] = document.years ? (document.years.to ?? Number.POSITIVE_INFINITY) : Number.NaN
  return number
}

/** The headings of a document as one label. Empty without headings. */
const headingsLabel = ({ headings }: Pick<SearchDocument, 'headings'>): string =>
  headings ? JSON.stringify(headings) : ''

/** The headings of a label. */
export const parseHeadings = (label: string): Record<string, string> =>
  label === '' ? {} : v.parse(v.record(v.string(), v.string()), JSON.parse(label))

/** The point that search shows. For records of coarse tiers it is rounded to a tenth of a degree. */
export const coarsenPoint = ({ point, access_tier }: Pick<SearchDocument, 'point' | 'access_tier'>): Point | null =>
  point && isCoarse(access_tier) ? roundPoint(point) : point

function grow(columns: Columns): void {
  const room = columns.flags.length * 2
  for (const name of plainColumns) {
    const larger = new arrays[name](room)
    larger.set(columns[name])
    Object.assign(columns, { [name]: larger })
  }
  for (const [facet, column] of Object.entries(columns.facets)) {
    columns.facets[facet] = new Uint16Array(room)
    columns.facets[facet].set(column)
  }
}

/** Yields the columns in the form of a snapshot. */
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
 * Each word has two counts of documents. `anon` counts the documents that everyone may read. So hidden documents change no
 * public answer, not even by crowding out a spelling. `total` counts all documents. It is for signed-in callers, since some
 * hidden documents are their own.
 */
export const columnTallies = ['anon', 'total'] as const
export type ColumnTally = (typeof columnTallies)[number]
export const tallyFor = (scope: Scope): ColumnTally => (scope.signedIn || scope.everything ? 'total' : 'anon')
/** The numbers that a document with these flags adds to the two counts: 0 or 1. */
export const tallyFlags = (flags: number): Record<ColumnTally, 0 | 1> => ({
  anon: publicFlags()[flags | ALIVE] === 1 ? 1 : 0,
  total: 1,
})
const publicFlags = once(() => readableFlags({ signedIn: false, everything: false }, false))

/** A table indexed by flags: 1 if the reader may read a document with these flags, else 0. */
export const readableFlags = (reader: Reader, isOwn: boolean): Uint8Array =>
  Uint8Array.from({ length: ALL_FLAGS + 1 }, (_, flags) => {
    const has = (flag: number) => (flags & flag) !== 0
    // A row that is not alive was replaced or removed. Nobody may read it.
    const facts = { isDeleted: false, isPublished: has(PUBLISHED), isForEveryone: has(OPEN_TIER), isOwn }
    return has(ALIVE) && canRead(facts, reader) ? 1 : 0
  })
