/** The first `size` of many numbers in an order, without sorting them all. `before(a, b)`: a comes before b. */
export function selectTop(
  numbers: ArrayLike<number>,
  size: number,
  before: (a: number, b: number) => boolean,
): number[] {
  if (size <= 0) return []
  // A heap of the best so far with the last of them on top: one comparison tells whether a number gets in.
  const heap: number[] = []
  for (let i = 0; i < numbers.length; i += 1) {
    const number = numbers[i] ?? 0
    if (heap.length < size) rise(heap, number, before)
    else if (before(number, heap[0] ?? 0)) sink(heap, number, before)
  }
  return heap.sort((a, b) => (before(a, b) ? -1 : 1))
}

function rise(heap: number[], number: number, before: (a: number, b: number) => boolean): void {
  let at = heap.push(number) - 1
  while (at > 0) {
    const parent = (at - 1) >> 1
    if (!before(heap[parent] ?? 0, number)) break
    heap[at] = heap[parent] ?? 0
    at = parent
  }
  heap[at] = number
}

function sink(heap: number[], number: number, before: (a: number, b: number) => boolean): void {
  let at = 0
  for (let child = 1; child < heap.length; child = 2 * at + 1) {
    if (child + 1 < heap.length && before(heap[child] ?? 0, heap[child + 1] ?? 0)) child += 1
    if (!before(number, heap[child] ?? 0)) break
    heap[at] = heap[child] ?? 0
    at = child
  }
  heap[at] = number
}
