import { metres } from '../../matching/geo.ts'
import { facetNames } from '../document.ts'
import { ALIVE, type Columns, type Numbering, OPEN_TIER, PUBLISHED } from '../index/columns.ts'
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
  const { flags, contributor: owners } = corpus.columns
  const { scope, published } = asked
  const own = numberOf(corpus, scope.own)
  const tests = [
    ...labelTests(corpus, asked),
    ...placeTests(corpus.columns, asked),
    ...yearTests(corpus.columns, asked),
  ]
  if (asked.contributor !== undefined) {
    const wanted = numberOf(corpus, asked.contributor)
    tests.push((number) => owners[number] === wanted)
  }
  return (number) => {
    const it = flags[number] ?? 0
    if ((it & ALIVE) === 0) return false
    const isPublished = (it & PUBLISHED) !== 0
    const open = isPublished && (scope.signedIn || (it & OPEN_TIER) !== 0)
    if (!open && !scope.everything && (own === NOBODY || owners[number] !== own)) return false
    if (published !== undefined && published !== isPublished) return false
    for (const test of tests) if (!test(number)) return false
    return true
  }
}

const NOBODY = 0xffff_ffff
const numberOf = (corpus: Corpus, id: string | null): number => (id && corpus.contributor(id)) || NOBODY

/** One test for each column of labels that is filtered by. */
function labelTests({ columns, labels }: Corpus, { resources, statuses, category, values }: Filters): Test[] {
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
      return wanted ? [among(columns[facet], labels[facet], (it) => wanted.includes(it.toLowerCase()))] : []
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
