import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  isShortId,
  parseNumberOrShortId,
  shortDigest,
  shortIdNumber,
  shortIdOf,
} from '../../../lib/base/ids/short-id.ts'

const numbers = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER })

describe('a short id', () => {
  test('is eleven letters and digits, and leads back to its number', () => {
    fc.assert(
      fc.property(numbers, (number) => {
        expect(isShortId(shortIdOf(number))).toBe(true)
        expect(shortIdNumber(shortIdOf(number))).toBe(number)
      }),
    )
  })

  test('is stored in addresses, so it never changes', () => {
    expect([1, 2, 1000].map(shortIdOf)).toEqual(['cJinsNucT09', 'EdRbklpEw0I', '26eTBhERmLA'])
  })

  test('of numbers that follow each other has little in common', () => {
    const ids = Array.from({ length: 1000 }, (_, number) => shortIdOf(number + 1))
    expect(new Set(ids).size).toBe(1000)
    expect(new Set(ids.map((id) => id.slice(0, 2))).size).toBeGreaterThan(700)
  })

  test.each(['', 'short', 'twelveletter', 'with space1', 'zzzzzzzzzzz', '-----------'])(
    '%j is that of no number',
    (text) => {
      expect(shortIdNumber(text)).toBe(undefined)
    },
  )

  test('of a text is always the same, and of another text another one', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (one, other) => {
        expect(isShortId(shortDigest(one))).toBe(true)
        expect(shortDigest(one) === shortDigest(other)).toBe(one === other)
      }),
    )
  })
})

test('a text names a number by its digits or by its short id, and otherwise none', () => {
  expect(['1', '123456789012345', shortIdOf(7)].map(parseNumberOrShortId)).toEqual([1, 123_456_789_012_345, 7])
  expect(['', '0', '01', '-1', '1.5', '1234567890123456', 'short', shortIdOf(0)].map(parseNumberOrShortId)).toEqual(
    Array.from({ length: 8 }, () => undefined),
  )
})
