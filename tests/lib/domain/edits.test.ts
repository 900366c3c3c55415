import { expect, test } from 'vitest'
import { edits, editsOfBeginning } from '../../../lib/domain/edits.ts'

test.each([
  ['stupa', 'stupa', 0],
  ['stupa', 'stpua', 1],
  ['stupa', 'stua', 1],
  ['stupa', 'stuppa', 1],
  ['', 'stupa', 5],
  ['bahal', 'bahi', 2],
])('%j becomes %j by %i edits', (a, b, most) => {
  expect(edits(a, b)).toBe(most)
  expect(edits(b, a)).toBe(most)
})

test.each([
  ['budha', 'budhanilkantha', 0],
  ['budah', 'budhanilkantha', 1],
  ['bdha', 'budhanilkantha', 1],
  ['buddha', 'budhanilkantha', 1],
  ['kasta', 'budhanilkantha', 4],
  ['budha', '', 5],
])('%j begins %j but for %i edits', (letters, word, most) => {
  expect(editsOfBeginning(letters, word, 2)).toBe(most)
})
