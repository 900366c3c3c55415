import { APPROXIMATE, type Columns, MOST_LABELS, type Numbering } from '../index/columns.ts'
import type { Facets, SearchQuery } from '../query.ts'
import type { Corpus } from './corpus.ts'
import { labelReader } from './filters.ts'

/** The most values of a facet in an answer. The values with the most documents are chosen. */
const MOST_VALUES = 100

/** Counts documents by resource, status and facet value. Leaves out facets without values. */
export function countFacets(corpus: Corpus, numbers: Uint32Array, { scope, years }: SearchQuery): Facets {
  const { columns, labels } = corpus
  const read = labelReader(corpus, scope)
  const valuesOf = (column: Uint16Array, numbering: Numbering) =>
    mostCommon(countsOf(column, numbers).map(([label, count]) => [read(numbering.texts[label] ?? ''), count]))
  const others = Object.entries(columns.facets).flatMap(([facet, column]) => {
    const numbering = labels.facets[facet]
    return numbering ? [[facet, valuesOf(column, numbering)] as const] : []
  })
  return {
    resource: valuesOf(columns.resource, labels.resource),
    status: valuesOf(columns.status, labels.status),
    ...Object.fromEntries(others.filter(([, counts]) => Object.keys(counts).length > 0)),
    ...(years && { when: certainties(columns, numbers, years) }),
  }
}

/** Working memory of `countsOf`. It contains only zeros between two calls. */
const counts = new Uint32Array(MOST_LABELS)

/** Counts the labels of these documents. Returns pairs of a label and its number of documents. */
function countsOf(column: Uint16Array, numbers: Uint32Array): [number, number][] {
  const labels: number[] = []
  for (let i = 0; i < numbers.length; i += 1) {
    const label = column[numbers[i] ?? 0] ?? 0
    const count = counts[label] ?? 0
    if (count === 0) labels.push(label)
    counts[label] = count + 1
  }
  return labels.map((label) => {
    const count = counts[label] ?? 0
    counts[label] = 0
    return [label, count]
  })
}

/** Keeps the values with the most documents, in alphabetical order. Adds up labels of the same name. Leaves out labels without a name. */
export function mostCommon(counted: readonly (readonly [string, number])[]): Record<string, number> {
  const byName = new Map<string, number>()
  for (const [name, count] of counted) byName.set(name, (byName.get(name) ?? 0) + count)
  return Object.fromEntries(
    [...byName]
      .filter(([name]) => name !== '')
      .sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1))
      .slice(0, MOST_VALUES)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  )
}

/** Whether a document's years are exact and all within the years of the question. */
export const isCertain = ({ flags, from, to }: Columns, number: number, years: { from: number; to: number }): boolean =>
  ((flags[number] ?? 0) & APPROXIMATE) === 0 &&
  (from[number] ?? Number.NaN) >= years.from &&
  (to[number] ?? Number.NaN) <= years.to

function certainties(columns: Columns, numbers: Uint32Array, years: { from: number; to: number }) {
  const certain = numbers.reduce((sum, number) => sum + (isCertain(columns, number, years) ? 1 : 0), 0)
  return { certain, possible: numbers.length - certain }
}
