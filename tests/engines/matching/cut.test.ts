import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cut } from '../../../lib/engines/matching/cut.ts'

test.each([
  ['नमस्ते', 3, 'नमस'],
  ['a😀b', 2, 'a😀'],
  ['😀😀', 1, '😀'],
  ['😀', 0, ''],
  ['short', 10, 'short'],
])('%j cut to %i characters is %j', (text, most, wanted) => {
  expect(cut(text, most)).toBe(wanted)
})

test('what is cut is the beginning of the text, whole in its last character, and as long as asked', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.nat(20), (text, most) => {
      const made = cut(text, most)
      expect(text.startsWith(made)).toBe(true)
      expect(made.isWellFormed()).toBe(true)
      expect([...made].length).toBe(Math.min(most, [...text].length))
    }),
  )
})
