import { metres } from '../../matching/geo.ts'
import { facetNames } from '../document.ts'
import { ALIVE, type Columns, type Numbering, OPEN_TIER, PUBLISHED } from '../index/columns.ts'
import { linkIn } from '../index/links.ts'
import type { SearchQuery } from '../query.ts'
import type { Corpus } from './corpus.ts'

/** What narrows a search beside its text. */
export type Filters = Pick<
  SearchQuery,
  'scope' | 'resources' | 'statuses' | 'published' | 'category' | 'contributor' | 'values' | 'box' | 'near' | 'years'
>
type Test = (number: number) => boolean

/** Whether a document passes the filters and may be shown. Nothing that is found, counted or sorted passes by it. */
export function admission(corpus: Corpus, asked: Filters): Test {
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

/** Whether only some of what there is can be found: a few sorts of records, or what fits other filters. */
export function isNarrowed({ labels }: Corpus, { resources, values, ...asked }: Filters): boolean {
  const others = [asked.statuses, asked.category, asked.contributor, asked.box, asked.near, asked.years]
  const few = resources !== undefined && resources.length * 2 < labels.resource.texts.length
  return few || [...others, ...Object.values(values ?? {})].some((it) => it !== undefined)
}

/** Whether a document is there for whoever asks. */
function visible(corpus: Corpus, { scope, published }: Pick<Filters, 'scope' | 'published'>): Test {
  const { flags, contributor: owners } = corpus.columns
  const own = numberOf(corpus, scope.own)
  return (number) => {
    const it = flags[number] ?? 0
    if ((it & ALIVE) === 0) return false
    const isPublished = (it & PUBLISHED) !== 0
    const open = isPublished && (scope.signedIn || (it & OPEN_TIER) !== 0)
    if (!open && !scope.everything && (own === NOBODY || owners[number] !== own)) return false
    return published === undefined || published === isPublished
  }
}

/** Reads the labels of facets for someone: of what they link to its name of today, where it may be seen, else the words that were written. */
export function labelReader(corpus: Corpus, scope: Filters['scope']): (label: string) => string {
  const admits = visible(corpus, { scope })
  return (label) => {
    const { id, words } = linkIn(label)
    const number = id === undefined ? undefined : corpus.find(id)
    return number !== undefined && admits(number) ? corpus.document(number).title : words
  }
}

const NOBODY = 0xffff_ffff
const numberOf = (corpus: Corpus, id: string | null): number => (id && corpus.contributor(id)) || NOBODY

/** One test for each column of labels that is filtered by. */
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
    ...facetNames.flatMap((facet) => {
      const wanted = values?.[facet]?.map((it) => it.toLowerCase())
      const read = labelReader(corpus, scope)
      return wanted ? [among(columns[facet], labels[facet], (it) => wanted.includes(read(it).toLowerCase()))] : []
    }),
  ]
}

function placeTests({ lat, lng }: Columns, { box, near }: Filters): Test[] {
  const at = (number: number) => ({ lat: lat[number] ?? Number.NaN, lng: lng[number] ?? Number.NaN })
  const tests: Test[] = []
  if (near) tests.push((number) => metres(near, at(number)) <= near.within * 1000)
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
