import { expect, test } from 'vitest'
import { planOf } from '../../../local/commands/import/plan.ts'
import { offer, type Row } from '../../../local/commands/import/rows.ts'

const order = (...rows: Row[]) => planOf(offer('f', rows), { lenient: false }).steps.map((it) => it.offered.line)

test('kinds that others name come first', () => {
  const of = (kind: string): Row => ({ id: `t:${kind}`, kind, name: kind })
  expect(order(of('relationship'), of('festival'), of('structure'), of('location'))).toEqual([4, 3, 2, 1])
})

test('a row comes after the rows of its own kind that it names', () => {
  const rite = (n: number, after?: string): Row => ({
    id: `t:${n}`,
    kind: 'ritual',
    name: `${n}`,
    ...(after && { occurs_after: after }),
  })
  expect(order(rite(1, 't:2'), rite(2, 't:3'), rite(3))).toEqual([3, 2, 1])
})

test('a row comes after the row whose name it gives', () => {
  const place: Row = { id: 't:p', kind: 'location', name: 'Āsan', contains_structure: ['Shrine'] }
  expect(order(place, { id: 't:s', kind: 'structure', name: 'shrine' })).toEqual([2, 1])
})

test('rows in a circle are all sent', () => {
  const rite = (n: number, after: string): Row => ({ id: `t:${n}`, kind: 'ritual', name: `${n}`, occurs_after: after })
  const { steps } = planOf(offer('f', [rite(1, 't:2'), rite(2, 't:1')]), { lenient: false })
  expect(steps.map((it) => it.needs.map((other) => other.offered.line))).toEqual([[], [2]])
})
