import { APPROXIMATE, type Columns, MOST_LABELS, type Numbering } from '../index/columns.ts'
import type { Facets, SearchQuery } from '../query.ts'
import type { Corpus } from './corpus.ts'
import { labelReader } from './filters.ts'

/** The most values of a facet in an answer: those with the most documents. */
const MOST_VALUES = 100

/** Counts documents by resource, status and facet value. Facets without values are absent. */
export function countFacets(corpus: Corpus, numbers: Uint32Array, { scope, years }: SearchQuery): Facets {
  const { columns, labels } = corpus
  const read = labelReader(corpus, scope)
  const counted = (column: Uint16Array, known: Numbering) =>
    mostCommon(countsOf(column, numbers).map(([label, count]) => [read(known.texts[label] ?? ''), count]))
  const others = Object.entries(columns.facets).flatMap(([facet, column]) => {
    const known = labels.facets[facet]
    return known ? [[facet, counted(column, known)] as const] : []
  })
  return {
    resource: counted(columns.resource, labels.resource),
    status: counted(columns.status, labels.status),
    ...Object.fromEntries(others.filter(([, counts]) => Object.keys(counts).length > 0)),
    ...(years && { when: certainties(columns, numbers, years) }),
  }
}

/** Working memory of `countsOf`: all zeros between two calls. */
const counts = new Uint32Array(MOST_LABELS)

/** Counts the labels of these documents. */
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

/**
 * Keeps the values with the most documents, in alphabetical order. Labels with the same name are added up, those
 * without a name left out.
 */
function mostCommon(counted: readonly (readonly [string, number])[]): Record<string, number> {
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

/** Whether a document's years surely lie within those of the question: they are exact, and none is outside. */
export const isCertain = ({ flags, from, to }: Columns, number: number, years: { from: number; to: number }): boolean =>
  ((flags[number] ?? 0) & APPROXIMATE) === 0 &&
  (from[number] ?? Number.NaN) >= years.from &&
  (to[number] ?? Number.NaN) <= years.to

function certainties(columns: Columns, numbers: Uint32Array, years: { from: number; to: number }) {
  const certain = numbers.reduce((sum, number) => sum + (isCertain(columns, number, years) ? 1 : 0), 0)
  return { certain, possible: numbers.length - certain }
}
