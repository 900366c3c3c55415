import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { isComplete, type Outcome, printReport, type Result, reportOf } from '../../../local/commands/import/report.ts'

const outcomes: Outcome[] = ['created', 'changed', 'already_there', 'refused', 'failed', 'not_reached']
const result = (outcome: Outcome, more: Partial<Result> = {}): Result => ({
  file: 'f.jsonl',
  line: 1,
  id: 't:1',
  kind: 'deity',
  outcome,
  reasons: [],
  asides: [],
  ...more,
})

test('every row offered is in one of the outcomes', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...outcomes)), (given) => {
      const report = reportOf(given.map((outcome) => result(outcome)))
      expect(report.offered).toBe(given.length)
      expect(outcomes.reduce((sum, outcome) => sum + report[outcome], 0)).toBe(given.length)
    }),
  )
})

test('a run is complete when what is missing was refused, and not when it failed', () => {
  expect(isComplete(reportOf([result('created'), result('already_there'), result('refused')]))).toBe(true)
  expect(isComplete(reportOf([result('failed')]))).toBe(false)
  expect(isComplete(reportOf([result('not_reached')]))).toBe(false)
  expect(isComplete(reportOf([result('created', { accepted: 'failed' })]))).toBe(false)
})

test('each refusal and each value put aside is told with its reason', () => {
  const report = reportOf([
    result('refused', { line: 3, reasons: [{ member: 'type "x"', reason: 'Not a valid choice.' }] }),
    result('created', { line: 4, asides: [{ member: 'place', value: 'LOC1', reason: 'It names nothing.' }] }),
  ])
  expect(printReport(report).split('\n')).toEqual([
    'refused  f.jsonl:3  t:1  type "x": Not a valid choice.',
    'set aside  f.jsonl:4  t:1  place "LOC1": It names nothing.',
    '',
    'file     offered  created  changed  there  refused  failed  not reached',
    'f.jsonl        2        1        0      0        1       0            0',
    'set aside in notes 1',
  ])
})
