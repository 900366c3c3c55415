import { distanceInMetres } from '../../matching/index.ts'
import type { SearchQuery, SortOrder } from '../query.ts'
import type { Corpus } from './corpus.ts'

/** A document in the order of the results. `likeness` is that of its best name and the question, from 0 to 1. */
export type RankedDocument = { number: number; score: number; likeness: number }

/** Compares by score, the highest first; documents of equal scores by id. */
export const compareScores =
  ({ columns: { order } }: Corpus) =>
  (a: RankedDocument, b: RankedDocument): number =>
    b.score - a.score || (order[a.number] ?? 0) - (order[b.number] ?? 0)

/** Whether document `a` comes before document `b`. */
type Before = (a: number, b: number) => boolean

/** Sorts documents by an order that does not depend on the text, and returns the first `size`. They have no score. */
export function sortByColumn(corpus: Corpus, query: SearchQuery, numbers: Uint32Array, size: number): RankedDocument[] {
  const before = orders(corpus, query)[query.sort ?? 'relevance']
  return selectTop(numbers, size, before).map((number) => ({ number, score: 0, likeness: 0 }))
}

function orders(corpus: Corpus, { near }: Pick<SearchQuery, 'near'>): Record<SortOrder, Before> {
  const { lat, lng, updated, created, popularity, name, order } = corpus.columns
  const byColumn =
    (column: ArrayLike<number>, way: 1 | -1, then: (a: number, b: number) => number = () => 0): Before =>
    (a, b) =>
      // Documents with equal values are sorted by id in the same direction, as in the lists of the table.
      way * ((column[a] ?? 0) - (column[b] ?? 0) || then(a, b) || (order[a] ?? 0) - (order[b] ?? 0)) < 0
  const compareNames = (a: number, b: number) => corpus.compareNames(a, b)
  const distanceTo = (number: number) =>
    near ? distanceInMetres(near, { lat: lat[number] ?? 0, lng: lng[number] ?? 0 }) : 0
  return {
    relevance: byColumn(updated, -1),
    newest: byColumn(updated, -1),
    popularity: byColumn(popularity, -1, (a, b) => (updated[a] ?? 0) - (updated[b] ?? 0)),
    created: byColumn(created, 1),
    '-created': byColumn(created, -1),
    name: byColumn(name, 1, compareNames),
    '-name': byColumn(name, -1, compareNames),
    distance: (a, b) => {
      const [x, y] = [distanceTo(a), distanceTo(b)]
      return x === y ? (order[a] ?? 0) < (order[b] ?? 0) : x < y
    },
  }
}

/** The first `size` numbers in an order, without sorting all numbers. */
export function selectTop(numbers: ArrayLike<number>, size: number, before: Before): number[] {
  if (size <= 0) return []
  // A heap of the best numbers, with the worst of them on top: one comparison decides whether a number enters it.
  const heap: number[] = []
  for (let i = 0; i < numbers.length; i += 1) {
    const number = numbers[i] ?? 0
    if (heap.length < size) rise(heap, number, before)
    else if (before(number, heap[0] ?? 0)) sink(heap, number, before)
  }
  return heap.sort((a, b) => (before(a, b) ? -1 : 1))
}

function rise(heap: number[], number: number, before: Before): void {
  let at = heap.push(number) - 1
  while (at > 0) {
    const parent = (at - 1) >> 1
    if (!before(heap[parent] ?? 0, number)) break
    heap[at] = heap[parent] ?? 0
    at = parent
  }
  heap[at] = number
}

function sink(heap: number[], number: number, before: Before): void {
  let at = 0
  for (let child = 1; child < heap.length; child = 2 * at + 1) {
    if (child + 1 < heap.length && before(heap[child] ?? 0, heap[child + 1] ?? 0)) child += 1
    if (!before(number, heap[child] ?? 0)) break
    heap[at] = heap[child] ?? 0
    at = child
  }
  heap[at] = number
}
