import { distanceInMetres } from '../../matching/index.ts'
import type { SearchQuery, SortOrder } from '../query.ts'
import type { Corpus } from './corpus.ts'

/** A document in the order of the results. `likeness`: how like the question its best name is, from 0 to 1. */
export type RankedDocument = { number: number; score: number; likeness: number }

/** Whether document `a` comes before document `b`. */
type Before = (a: number, b: number) => boolean

/** Sorts documents by an order that does not depend on the text, and returns the first `size`. They have no score. */
export function sortByColumn(corpus: Corpus, query: SearchQuery, numbers: Uint32Array, size: number): RankedDocument[] {
  const before = orders(corpus, query)[query.sort ?? 'relevance']
  return selectTop(numbers, size, before).map((number) => ({ number, score: 0, likeness: 0 }))
}

function orders(corpus: Corpus, { near }: Pick<SearchQuery, 'near'>): Record<SortOrder, Before> {
  const { lat, lng, updated, created, popularity, name, order } = corpus.columns
  const by =
    (column: ArrayLike<number>, way: 1 | -1, then: (a: number, b: number) => number = () => 0): Before =>
    (a, b) =>
      // Ties go by id in the same direction, as in the lists of the table.
      way * ((column[a] ?? 0) - (column[b] ?? 0) || then(a, b) || (order[a] ?? 0) - (order[b] ?? 0)) < 0
  const names = (a: number, b: number) => corpus.compareNames(a, b)
  const away = (number: number) => (near ? distanceInMetres(near, { lat: lat[number] ?? 0, lng: lng[number] ?? 0 }) : 0)
  return {
    relevance: by(updated, -1),
    newest: by(updated, -1),
    popularity: by(popularity, -1, (a, b) => (updated[a] ?? 0) - (updated[b] ?? 0)),
    created: by(created, 1),
    '-created': by(created, -1),
    name: by(name, 1, names),
    '-name': by(name, -1, names),
    distance: (a, b) => away(a) - away(b) < 0 || (away(a) === away(b) && (order[a] ?? 0) < (order[b] ?? 0)),
  }
}

/** The first `size` of many numbers in an order, without sorting all of them. */
export function selectTop(numbers: ArrayLike<number>, size: number, before: Before): number[] {
  if (size <= 0) return []
  // A heap of the best so far, the worst of them on top: one comparison tells whether a number gets in.
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
