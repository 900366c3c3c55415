import { distanceInMetres } from '../../matching/index.ts'
import { type Columns, type Numbering, PUBLISHED, readableFlags } from '../index/columns.ts'
import { parseFacetLabel } from '../index/links.ts'
import type { SearchQuery } from '../query.ts'
import type { Corpus } from './corpus.ts'

/** All that narrows a search, except its text. */
export type Filters = Pick<
  SearchQuery,
  'scope' | 'resources' | 'statuses' | 'published' | 'category' | 'contributor' | 'values' | 'box' | 'near' | 'years'
>
type Test = (number: number) => boolean

/**
 * Makes a test of whether a document passes the filters and the caller may see it. Nothing is found, counted or sorted
 * without it.
 */
export function makeFilter(corpus: Corpus, asked: Filters): Test {
  const { contributor: owners } = corpus.columns
  const tests = [
    visible(corpus, asked),
    ...labelTests(corpus, asked),
    ...placeTests(corpus.columns, asked),
    ...yearTests(corpus.columns, asked),
  ]
  if (asked.contributor !== undefined) {
    const wanted = numberOf(corpus, asked.contributor)
    tests.push((number) => owners[number] === wanted)
  }
  return (number) => tests.every((test) => test(number))
}

/** Whether a question has filters. `resources` is one only if it names less than half of all resources. */
export function isNarrowed({ labels }: Corpus, { resources, values, ...asked }: Filters): boolean {
  const others = [asked.statuses, asked.category, asked.contributor, asked.box, asked.near, asked.years]
  const few = resources !== undefined && resources.length * 2 < labels.resource.texts.length
  return few || [...others, ...Object.values(values ?? {})].some((it) => it !== undefined)
}

/** Makes a test of whether the caller may see a document. */
function visible(corpus: Corpus, { scope, published }: Pick<Filters, 'scope' | 'published'>): Test {
  const { flags, contributor: owners } = corpus.columns
  const own = numberOf(corpus, scope.own)
  const [others, owned] = [readableFlags(scope, false), readableFlags(scope, true)]
  return (number) => {
    const it = flags[number] ?? 0
    const isOwn = own !== NOBODY && owners[number] === own
    if ((isOwn ? owned : others)[it] !== 1) return false
    return published === undefined || published === ((it & PUBLISHED) !== 0)
  }
}

/**
 * Makes a function that reads labels of facets for a caller. A label with a link gets the title that the linked record
 * has now, if the caller may see it. Else it keeps the words as written.
 */
export function labelReader(corpus: Corpus, scope: Filters['scope']): (label: string) => string {
  const admits = visible(corpus, { scope })
  return (label) => {
    const { id, words } = parseFacetLabel(label)
    const number = id === undefined ? undefined : corpus.find(id)
    return number !== undefined && admits(number) ? corpus.document(number).title : words
  }
}

const NOBODY = 0xffff_ffff
const numberOf = (corpus: Corpus, id: string | null): number => (id && corpus.contributor(id)) || NOBODY

/** Makes a test for each column of labels that the question filters by. */
function labelTests(corpus: Corpus, { scope, resources, statuses, category, values }: Filters): Test[] {
  const { columns, labels } = corpus
  const among = (column: ArrayLike<number>, known: Numbering, fits: (label: string) => boolean): Test => {
    const members = Uint8Array.from(known.texts, (label) => (label !== '' && fits(label) ? 1 : 0))
    return (number) => members[column[number] ?? 0] === 1
  }
  const heading = typeof category === 'string' ? (label: string) => label === category : category
  return [
    ...(resources ? [among(columns.resource, labels.resource, (it) => resources.includes(it))] : []),
    ...(statuses ? [among(columns.status, labels.status, (it) => statuses.includes(it))] : []),
    ...(heading ? [among(columns.category, labels.category, heading)] : []),
    ...Object.entries(columns.facets).flatMap(([facet, column]) => {
      const wanted = values?.[facet]?.map((it) => it.toLowerCase())
      const known = labels.facets[facet]
      const read = labelReader(corpus, scope)
      return wanted && known ? [among(column, known, (it) => wanted.includes(read(it).toLowerCase()))] : []
    }),
  ]
}

function placeTests({ lat, lng }: Columns, { box, near }: Filters): Test[] {
  const at = (number: number) => ({ lat: lat[number] ?? Number.NaN, lng: lng[number] ?? Number.NaN })
  const tests: Test[] = []
  if (near) tests.push((number) => distanceInMetres(near, at(number)) <= near.within * 1000)
  if (box) {
    const { west, south, east, north } = box
    tests.push((number) => {
      const it = at(number)
      const beside = west <= east ? it.lng >= west && it.lng <= east : it.lng >= west || it.lng <= east
      return beside && it.lat >= south && it.lat <= north
    })
  }
  return tests
}

function yearTests({ from, to }: Columns, { years }: Filters): Test[] {
  if (!years) return []
  return [(number) => (from[number] ?? Number.NaN) <= years.to && (to[number] ?? Number.NaN) >= years.from]
}
