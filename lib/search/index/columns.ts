import { type Point, roundTo } from '../../matching/geo.ts'
import { isCoarse, isForEveryone, type Scope } from '../../permissions.ts'
import { type Document, type FacetName, facetNames } from '../document.ts'
import { labelOf } from './links.ts'

/**
 * What is filtered, counted and sorted by: one typed array per member, indexed by the number of a document. Documents of the
 * snapshot come first, then those that changed since; one that was replaced stays as a hole that is not alive. A facet is
 * added in `facetNames`; its column follows.
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
  /** Where its title stands among all titles. */
  name: Float64Array,
  /** The beginning of its id, which settles ties. */
  order: Float64Array,
  /** Degrees; not a number for what has no place. Of places that are kept vague, a tenth of a degree. */
  lat: Float64Array,
  lng: Float64Array,
  /** Years of our era; an open end is infinite, and what has no years has none that are numbers. */
  from: Float32Array,
  to: Float32Array,
  type: Uint16Array,
  place: Uint16Array,
  style: Uint16Array,
  period: Uint16Array,
  tradition: Uint16Array,
  deity: Uint16Array,
  material: Uint16Array,
} as const satisfies Record<string, unknown> & Record<FacetName, Uint16ArrayConstructor>

type Arrays = typeof arrays
export type ColumnName = keyof Arrays
export type Columns = { size: number } & { [Name in ColumnName]: InstanceType<Arrays[Name]> }
const isColumn = (name: string): name is ColumnName => name in arrays
export const columnNames: readonly ColumnName[] = Object.keys(arrays).filter(isColumn)

export const PUBLISHED = 1
export const OPEN_TIER = 2
export const ALIVE = 4
/** Its dates are about so. */
export const APPROXIMATE = 8

/** Numbers for texts, from 0 in the order in which they come: at most as many as a column holds. */
export class Numbering {
  readonly texts: string[]
  readonly #numbers: Map<string, number>
  readonly #most: number
  constructor(known: readonly string[] = [''], most = MOST_LABELS) {
    this.texts = [...known]
    this.#numbers = new Map(known.map((text, i) => [text, i]))
    this.#most = most
  }
  /** The number of a text; that of '' for a new one where there is no room. */
  of(text: string): number {
    const known = this.#numbers.get(text)
    if (known !== undefined) return known
    if (this.texts.length >= this.#most) return 0
    this.#numbers.set(text, this.texts.length)
    return this.texts.push(text) - 1
  }
}

/** So many labels at most are told apart in the columns that are counted by. */
export const MOST_LABELS = 2 ** 16

/** The texts behind the columns of numbers. */
export type Labels = Record<FacetName | 'resource' | 'status' | 'category', Numbering>
export const labelNames = [...facetNames, 'resource', 'status', 'category'] as const
export const labelsFrom = (known: Partial<Record<keyof Labels, readonly string[]>>): Labels => {
  const labels = (name: keyof Labels) => new Numbering(known[name] ?? [''], name === 'category' ? 2 ** 32 : MOST_LABELS)
  return {
    type: labels('type'),
    place: labels('place'),
    style: labels('style'),
    period: labels('period'),
    tradition: labels('tradition'),
    deity: labels('deity'),
    material: labels('material'),
    resource: labels('resource'),
    status: labels('status'),
    category: labels('category'),
  }
}

/** Room for so many documents, filled from the bytes of a snapshot where there are any. */
export function columnsFrom(size: number, bytes: (name: ColumnName) => Uint8Array | undefined): Columns {
  const columns = emptyColumns(size + SLACK)
  columns.size = size
  for (const name of columnNames) {
    const stored = bytes(name)
    if (stored) new Uint8Array(columns[name].buffer).set(stored)
  }
  return columns
}

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
  type: new Uint16Array(room),
  place: new Uint16Array(room),
  style: new Uint16Array(room),
  period: new Uint16Array(room),
  tradition: new Uint16Array(room),
  deity: new Uint16Array(room),
  material: new Uint16Array(room),
})

/** Room for changes before the arrays are copied into larger ones. */
const SLACK = 4096

/** Appends a row and answers its number, given the numbers of its contributor and its place by name. */
export function append(
  columns: Columns,
  labels: Labels,
  it: Document,
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
  for (const facet of facetNames) columns[facet][at] = labels[facet].of(labelOf(it, facet))
  columns.contributor[at] = row.contributor
  columns.created[at] = Date.parse(it.created_at)
  columns.updated[at] = Date.parse(it.updated_at)
  columns.popularity[at] = it.popularity_score
  columns.name[at] = row.name
  columns.order[at] = placeOf(it.id)
  const point = pointFor(it)
  columns.lat[at] = point?.lat ?? Number.NaN
  columns.lng[at] = point?.lng ?? Number.NaN
  columns.from[at] = it.years ? (it.years.from ?? Number.NEGATIVE_INFINITY) : Number.NaN
  columns.to[at] = it.years ? (it.years.to ?? Number.POSITIVE_INFINITY) : Number.NaN
  return at
}

/** Where a document is as far as a search may tell: of these tiers to a tenth of a degree, whoever asks. */
export const pointFor = ({ point, access_tier }: Pick<Document, 'point' | 'access_tier'>): Point | null =>
  point && isCoarse(access_tier) ? roundTo(point) : point

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
