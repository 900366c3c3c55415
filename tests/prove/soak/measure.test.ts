import { describe, expect, test } from 'vitest'
import { lowest, quantile, slope } from './measure.ts'

const saw = (growth: number) =>
  Array.from({ length: 120 }, (_, at) => ({ at, value: 200 + growth * at + (at % 10) * 8 }))

describe('the figures of a soak', () => {
  test('a quantile is one of the figures', () => {
    expect(quantile([5, 1, 4, 2, 3], 0.5)).toBe(3)
    expect(quantile([5, 1, 4, 2, 3], 0.99)).toBe(5)
    expect(quantile([], 0.5)).toBe(0)
  })

  test('memory that rises and is collected is flat', () => {
    expect(slope(lowest(saw(0), 10))).toBe(0)
  })

  test('memory that leaks below its peaks is not', () => {
    expect(slope(lowest(saw(0.5), 10))).toBeCloseTo(0.5)
  })
})
