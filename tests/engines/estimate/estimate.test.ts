import { describe, expect, test } from 'vitest'
import { type Example, estimateFrom, fitModel, judgeEstimates } from '../../../lib/engines/estimate/index.ts'
import { solve } from '../../../lib/engines/estimate/solve.ts'

/** `many` cases of a colour, of which so many happened. */
const cases = (colour: string, many: number, happened: number): Example[] =>
  Array.from({ length: many }, (_, i) => ({ facts: { colour }, happened: i < happened }))

describe('a model', () => {
  test('solves linear equations', () => {
    const solution = solve(
      [
        [4, 2],
        [2, 3],
      ],
      [8, 7],
    )
    expect(solution.map((it) => it.toFixed(9))).toEqual(['1.250000000', '1.500000000'])
  })

  test('estimates the share of each category, drawn towards the whole', () => {
    const model = fitModel([...cases('red', 400, 300), ...cases('blue', 400, 100)])
    expect(estimateFrom(model, { colour: 'red' }).probability).toBeCloseTo(0.75, 2)
    expect(estimateFrom(model, { colour: 'blue' }).probability).toBeCloseTo(0.25, 2)
    expect(estimateFrom(model, {}).probability).toBeCloseTo(0.5, 2)
  })

  test('counts a rare or unknown category as other', () => {
    const model = fitModel([...cases('red', 100, 50), ...cases('green', 2, 2), ...cases('grey', 3, 0)])
    expect(Object.keys(model.weights)).toEqual(['colour=other', 'colour=red'])
    const [rare, unknown] = ['green', 'never seen'].map((colour) => estimateFrom(model, { colour }).probability)
    expect(rare).toBe(unknown)
  })

  test('tells what each fact adds, which together give the probability', () => {
    const examples = Array.from({ length: 300 }, (_, i): Example => {
      const doors = i % 4
      return { facts: { colour: i % 2 ? 'red' : 'blue', doors }, happened: (i * 7) % 10 < doors * 2 + 2 }
    })
    const model = fitModel(examples)
    const { probability, effects } = estimateFrom(model, { colour: 'red', doors: 3 })
    const none = estimateFrom(model, {}).probability
    const odds = (p: number) => Math.log(p / (1 - p))
    expect(effects.map(({ fact }) => fact).sort()).toEqual(['colour', 'doors'])
    const sum = effects.reduce((total, { effect }) => total + effect, 0)
    expect(odds(none) + sum).toBeCloseTo(odds(probability), 9)
    expect(effects.find(({ fact }) => fact === 'doors')?.effect).toBeGreaterThan(0)
  })

  test('is the same for the same examples in another order', () => {
    const examples = [...cases('red', 30, 20), ...cases('blue', 40, 10)]
    const [one, other] = [fitModel(examples), fitModel(examples.toReversed())]
    expect(one.intercept).toBeCloseTo(other.intercept, 9)
  })

  test('takes cases that all happened, and none at all', () => {
    expect(estimateFrom(fitModel(cases('red', 50, 50)), { colour: 'red' }).probability).toBeGreaterThan(0.9)
    expect(estimateFrom(fitModel([]), { colour: 'red' }).probability).toBe(0.5)
  })
})

test('estimates are judged by what came of them', () => {
  const judged = [
    { probability: 0.25, happened: false },
    { probability: 0.25, happened: false },
    { probability: 0.25, happened: true },
    { probability: 0.95, happened: true },
  ]
  const { brier, base_brier, calibration_error, tenths } = judgeEstimates(judged, 0.5)
  expect(brier).toBeCloseTo((0.0625 + 0.0625 + 0.5625 + 0.0025) / 4, 9)
  expect(base_brier).toBe(0.25)
  expect(tenths.map(({ from, count }) => [from, count])).toEqual([
    [0.2, 3],
    [0.9, 1],
  ])
  expect(calibration_error).toBeCloseTo((3 * (1 / 3 - 0.25) + 0.05) / 4, 9)
})
