import fc from 'fast-check'
import { expect, test } from 'vitest'
import { countEdits, countEditsToPrefix } from '../../../lib/engines/matching/edits.ts'

test.each([
  ['', '', 0],
  ['', 'kumari', 6],
  ['kumari', 'kumari', 0],
  ['kumari', 'kumar', 1],
  ['kumari', 'kumaari', 1],
  ['kumari', 'kumati', 1],
  ['kumari', 'kuamri', 1],
  ['kumari', 'kumri', 1],
  ['ganesh', 'genash', 2],
  ['patan', 'bhaktapur', 6],
])('from %j to %j', (a, b, number) => {
  expect([countEdits(a, b), countEdits(b, a)]).toEqual([number, number])
})

/** The same by its definition: what is left of both after one step, whichever costs least. */
function slowly(a: string, b: string): number {
  if (a === '' || b === '') return a.length + b.length
  const [x, y] = [a.slice(1), b.slice(1)]
  const swapped = a[0] === b[1] && a[1] === b[0] && a.length > 1 && b.length > 1
  return Math.min(
    slowly(x, b) + 1,
    slowly(a, y) + 1,
    slowly(x, y) + (a[0] === b[0] ? 0 : 1),
    swapped ? slowly(a.slice(2), b.slice(2)) + 1 : Number.POSITIVE_INFINITY,
  )
}

test('of any two short texts it is what the definition says', () => {
  const text = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 6 }).map((letters) => letters.join(''))
  fc.assert(fc.property(text, text, (a, b) => countEdits(a, b) === slowly(a, b)))
})

test('with a most it is the same up to that, and beyond it when there are more', () => {
  const text = fc.array(fc.constantFrom('a', 'b', 'c', 'A', 'म'), { maxLength: 8 }).map((letters) => letters.join(''))
  fc.assert(
    fc.property(text, text, fc.integer({ min: 0, max: 4 }), (a, b, most) => {
      const number = countEdits(a, b)
      return number <= most ? countEdits(a, b, most) === number : countEdits(a, b, most) > most
    }),
    { numRuns: 2000 },
  )
})

test('long texts leave nothing behind for those that come after', () => {
  expect(countEdits('x'.repeat(300), 'y'.repeat(500))).toBe(500)
  expect(countEdits('kumari', 'kuamri')).toBe(1)
})

test.each([
  ['budha', 'budhanilkantha', 0],
  ['budah', 'budhanilkantha', 1],
  ['bdha', 'budhanilkantha', 1],
  ['buddha', 'budhanilkantha', 1],
  ['kasta', 'budhanilkantha', 4],
  ['budha', '', 5],
])('%j begins %j but for %i edits', (letters, word, most) => {
  expect(countEditsToPrefix(letters, word, 2)).toBe(most)
})
