import { once } from '../../../base/once.ts'
import { canRead, isCoarse, isForEveryone, type Reader, type Scope } from '../../../base/visibility.ts'
import { type Point, roundPoint } from '../../matching/index.ts'
import type { SearchDocument } from '../document.ts'
import { vocabularyFacets } from '../vocabulary.ts'
import { facetLabel } from './links.ts'

/**
 * Columns: what is filtered, counted and sorted by. One typed array for each member, indexed by the number of a
 * document.
 *
 * Documents of the snapshot come first, then those that changed since. A replaced document stays as a row that is not
 * alive. Each facet of the vocabulary has a column of its own (`facets`).
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
  /** The rank of its title among all titles. */
  name: Float64Array,
  /** The beginning of its id as a number. It settles ties. */
  order: Float64Array,
  /** Degrees; NaN without a place. Coarse places are rounded to a tenth of a degree. */
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
/** The names under which columns lie in a snapshot. */
export const columnNames = (): string[] => [...plainColumns, ...vocabularyFacets().map(facetColumn)]
const facetColumn = (facet: string) => `facet ${facet}`

export const PUBLISHED = 1
const OPEN_TIER = 2
export const ALIVE = 4
/** Its years are approximate. */
export const APPROXIMATE = 8
const ALL_FLAGS = PUBLISHED | OPEN_TIER | ALIVE | APPROXIMATE

/** Gives each new text the next number, from 0; at most as many as a column holds. */
export class Numbering {
  readonly texts: string[]
  readonly #numbers: Map<string, number>
  readonly #most: number
  constructor(known: readonly string[] = [''], most = MOST_LABELS) {
    this.texts = [...known]
    this.#numbers = new Map(known.map((text, i) => [text, i]))
    this.#most = most
  }
  /** The number of a text. A new text for which there is no room gets that of ''. */
  of(text: string): number {
    const known = this.#numbers.get(text)
    if (known !== undefined) return known
    if (this.texts.length >= this.#most) return 0
    this.#numbers.set(text, this.texts.length)
    return this.texts.push(text) - 1
  }
}

/** The most labels of a column that is counted by. */
export const MOST_LABELS = 2 ** 16

/** The texts behind the columns of numbers. */
export type Labels = Record<'resource' | 'status' | 'category', Numbering> & { facets: Record<string, Numbering> }
/** The texts behind the columns of numbers, as a snapshot holds them. */
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

/** Columns for `size` documents, filled from the bytes of a snapshot where there are any. */
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

/** Room for changes before the arrays are copied into larger ones. */
const SLACK = 4096

/** Appends a row and returns its number. `row`: the number of its contributor, and the rank of its title. */
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

/** The place of a document as search shows it: records of some tiers to a tenth of a degree, whoever asks. */
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

/** Each column by its name in a snapshot, as bytes. */
export function* columnBytes(columns: Columns): Iterable<[name: string, bytes: Uint8Array]> {
  const bytes = (array: Arrayed) =>
    new Uint8Array(array.buffer, array.byteOffset, columns.size * array.BYTES_PER_ELEMENT)
  for (const name of plainColumns) yield [name, bytes(columns[name])]
  for (const [facet, column] of Object.entries(columns.facets)) yield [facetColumn(facet), bytes(column)]
}

/**
 * The first 52 bits of a UUID as a number; the id of a record begins with its kind and sequence number. Other ids are
 * hashed.
 */
export function numberFromId(id: string): number {
  const hex = id.slice(0, 15).replaceAll('-', '')
  if (/^[0-9a-f]{13}$/.test(hex)) return Number.parseInt(hex, 16)
  let hash = 7
  for (const letter of id) hash = (hash * 31 + (letter.codePointAt(0) ?? 0)) % 4_503_599_627_370_449
  return hash
}

/**
 * In which documents words are counted for a caller. `anon`: those that everyone sees, so that hidden ones change no
 * public answer, not even by crowding out a spelling. `total`: all, for callers who are signed in, since some hidden
 * documents are their own.
 */
export const tallies = ['anon', 'total'] as const
export type Tally = (typeof tallies)[number]
export const tallyFor = (scope: Scope): Tally => (scope.signedIn || scope.everything ? 'total' : 'anon')
/** In which of the two counts a document with these flags is. */
export const tallyFlags = (flags: number): Record<Tally, 0 | 1> => ({
  anon: publicFlags()[flags | ALIVE] === 1 ? 1 : 0,
  total: 1,
})
const publicFlags = once(() => readableFlags({ signedIn: false, everything: false }, false))

/** For each combination of flags 1 if the reader may see such a document, else 0. `canRead` decides on each. */
export const readableFlags = (reader: Reader, isOwn: boolean): Uint8Array =>
  Uint8Array.from({ length: ALL_FLAGS + 1 }, (_, flags) => {
    const has = (flag: number) => (flags & flag) !== 0
    // A row that is not alive is a hole: nobody sees it.
    const facts = { isDeleted: false, isPublished: has(PUBLISHED), isForEveryone: has(OPEN_TIER), isOwn }
    return has(ALIVE) && canRead(facts, reader) ? 1 : 0
  })
