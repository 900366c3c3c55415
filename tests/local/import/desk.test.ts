import { expect, test } from 'vitest'
import { type AnsweredRow, doubtsOf, type Import, rowsDone } from '../../../local/commands/import/desk.ts'
import { printReport, type Result, reportOf } from '../../../local/commands/import/report.ts'

const table = (progress: Import['progress']): Import => ({
  id: crypto.randomUUID(),
  file_name: 'structures.csv',
  state: 'done',
  failed: null,
  progress,
  counts: null,
  made: { created: 0, amended: 0, left: 0, failed: 0 },
  mapping: {
    kind: 'structure',
    match: 'none',
    rules: [{ field: 'name', column: 'Name of shrine' }],
  },
  columns: [],
  told: [],
  waiting: 0,
})

test('while batches are accepted, their rows are counted as far as the verdict has come', () => {
  const all = [
    table({ task: 'decide', done: 300, of: 5000 }),
    table({ task: 'decide', done: 20, of: 400 }),
    table({ task: 'run', done: 7, of: 9 }),
    table(null),
  ]
  expect(rowsDone(all, 'decide', 10)).toBe(330)
  expect(rowsDone(all, 'run', 10)).toBe(17)
  expect(rowsDone(all, 'check', 10)).toBe(10)
})

test('a dry run prints each doubt with its row, column, value and sentence', () => {
  const row: AnsweredRow = {
    row: 3,
    outcome: 'doubtful',
    name: 'Krishna Mandir',
    entity_id: null,
    faults: [],
    doubts: [],
    alike: [
      { name: '', row: 2, how: 'same_name', likeness: 1 },
      { name: 'Krishna Temple', row: null, how: 'close', likeness: 0.9 },
    ],
    run: null,
    record: null,
  }
  const result: Result = {
    ...{ file: 'shrines.csv', line: 3, id: 'Krishna Mandir', kind: 'structure', outcome: 'created' },
    ...{ reasons: [], asides: [], doubts: doubtsOf(row, table(null)) },
  }
  const printed = printReport(reportOf([result]), true).split('\n')
  expect(printed.slice(0, 2)).toEqual([
    'doubtful  shrines.csv:3  Krishna Mandir  Name of shrine "Krishna Mandir": It has the same name as row 2 (1).',
    'doubtful  shrines.csv:3  Krishna Mandir  Name of shrine "Krishna Mandir": It is close to, and named like, Krishna Temple (0.9).',
  ])
  expect(printReport(reportOf([result]), false)).not.toContain('doubtful')
  expect(doubtsOf({ ...row, outcome: 'new' }, table(null))).toEqual([])
})
