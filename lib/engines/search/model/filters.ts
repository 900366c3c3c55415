import { distanceInMetres } from '../../matching/index.ts'
import { type Columns, type Numbering, PUBLISHED, parseHeadings, readableFlags } from '../index/columns.ts'
import { parseFacetLabel } from '../index/links.ts'
import type { SearchQuery } from '../query.ts'
import type { Corpus } from './corpus.ts'

export type Filters = Pick<
  SearchQuery,
  'scope' | 'resources' | 'statuses' | 'published' | 'headings' | 'contributor' | 'values' | 'box' | 'near' | 'years'
> & {
  /** A further test, from the words of the question: what they exclude, and the places that they name. */
  also?: Test | undefined
}
type Test = (number: number) => boolean

/**
 * Makes a test of whether a document passes the filters and the caller may see it. Every function that finds, counts or sorts documents
 * applies this test.
 */
export function makeFilter(corpus: Corpus, filters: Filters): Test {
  const { contributor: owners } = corpus.columns
  const tests = [
    visibilityTest(corpus, filters),
    ...labelTests(corpus, filters),
    ...placeTests(corpus.columns, filters),
    ...yearTests(corpus.columns, filters),
  ]
  if (filters.contributor !== undefined) {
    const owner = numberOf(corpus, filters.contributor)
    tests.push((number) => owners[number] === owner)
  }
  if (filters.also) tests.push(filters.also)
  return (number) => tests.every((test) => test(number))
}

/** Whether a question has filters. `resources` counts as a filter only if it names less than half of the resources with public documents. */
export function isNarrowed(corpus: Corpus, { resources, values, headings, ...filters }: Filters): boolean {
  const others = [filters.statuses, filters.contributor, filters.box, filters.near, filters.years]
  const few = resources !== undefined && resources.length * 2 < publicResources(corpus)
  const asked = [...others, ...Object.values(values ?? {}), ...Object.values(headings ?? {})]
  return few || asked.some((it) => it !== undefined)
}

const resourceCounts = new WeakMap<Corpus, { changes: number; count: number }>()

/** The number of resources with public documents. Hidden documents must not decide how a question is read. */
function publicResources(corpus: Corpus): number {
  const { columns, changes } = corpus
  const cached = resourceCounts.get(corpus)
  if (cached?.changes === changes) return cached.count
  const isPublic = readableFlags({ signedIn: false, everything: false }, false)
  const found = new Set<number>()
  for (let number = 0; number < columns.size; number += 1)
    if (isPublic[columns.flags[number] ?? 0] === 1) found.add(columns.resource[number] ?? 0)
  resourceCounts.set(corpus, { changes, count: found.size })
  return found.size
}

/** Makes a test of whether the caller may see a document. */
function visibilityTest(corpus: Corpus, { scope, published }: Pick<Filters, 'scope' | 'published'>): Test {
  const { flags, contributor: owners } = corpus.columns
  const own = numberOf(corpus, scope.own)
  const [others, owned] = [readableFlags(scope, false), readableFlags(scope, true)]
  return (number) => {
    const documentFlags = flags[number] ?? 0
    const isOwn = own !== NOBODY && owners[number] === own
    if ((isOwn ? owned : others)[documentFlags] !== 1) return false
    return published === undefined || published === ((documentFlags & PUBLISHED) !== 0)
  }
}

/**
 * Makes a function that reads labels of facets for a caller. A label with a link is shown as the current title of the linked record, if
 * the caller may see that record. Else it is shown as written.
 */
export function labelReader(corpus: Corpus, scope: Filters['scope']): (label: string) => string {
  const admits = visibilityTest(corpus, { scope })
  return (label) => {
    const { id, words } = parseFacetLabel(label)
    const number = id === undefined ? undefined : corpus.find(id)
    return number !== undefined && admits(number) ? corpus.document(number).title : words
  }
}

/** The number of a contributor without documents. No document has it. */
const NOBODY = 0xffff_ffff
const numberOf = (corpus: Corpus, id: string | null): number => (id && corpus.contributor(id)) || NOBODY

/** Makes a test for each column of labels that the question filters by. */
function labelTests(corpus: Corpus, { scope, resources, statuses, headings, values }: Filters): Test[] {
  const { columns, labels } = corpus
  const labelTest = (column: ArrayLike<number>, numbering: Numbering, fits: (label: string) => boolean): Test => {
    const members = Uint8Array.from(numbering.texts, (label) => (label !== '' && fits(label) ? 1 : 0))
    return (number) => members[column[number] ?? 0] === 1
  }
  const wanted = Object.entries(headings ?? {}).filter(([, value]) => value !== undefined)
  const hasHeadings = (label: string) => {
    const own = parseHeadings(label)
    return wanted.every(([name, value]) => own[name] === value)
  }
  return [
    ...(resources ? [labelTest(columns.resource, labels.resource, (it) => resources.includes(it))] : []),
    ...(statuses ? [labelTest(columns.status, labels.status, (it) => statuses.includes(it))] : []),
    ...(wanted.length > 0 ? [labelTest(columns.headings, labels.headings, hasHeadings)] : []),
    ...Object.entries(columns.facets).flatMap(([facet, column]) => {
      const accepted = values?.[facet]?.map((it) => it.toLowerCase())
      const numbering = labels.facets[facet]
      if (!accepted || !numbering) return []
      const read = labelReader(corpus, scope)
      return [labelTest(column, numbering, (label) => accepted.includes(read(label).toLowerCase()))]
    }),
  ]
}

function placeTests(columns: Columns, { box, near }: Filters): Test[] {
  const pointOf = (number: number) => ({
    lat: columns.lat[number] ?? Number.NaN,
    lng: columns.lng[number] ?? Number.NaN,
  })
  const tests: Test[] = []
  if (near) tests.push((number) => distanceInMetres(near, pointOf(number)) <= near.within * 1000)
  if (box) {
    const { west, south, east, north } = box
    tests.push((number) => {
      const { lng, lat } = pointOf(number)
      // A box whose west is greater than its east crosses the 180th meridian.
      const isBetween = west <= east ? lng >= west && lng <= east : lng >= west || lng <= east
      return isBetween && lat >= south && lat <= north
    })
  }
  return tests
}

function yearTests({ from, to }: Columns, { years }: Filters): Test[] {
  if (!years) return []
  return [(number) => (from[number] ?? Number.NaN) <= years.to && (to[number] ?? Number.NaN) >= years.from]
}
