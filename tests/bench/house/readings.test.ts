import { expect, test } from 'vitest'
import { wordsOfGlossary } from './glossary.ts'
import { readingsIn } from './readings.ts'

test('an empty list of readings is printed as not measured', () => {
  const none = readingsIn({ questions: [], changes: [], comments: null })
  expect(none).toHaveLength(3)
  for (const line of none) expect(line).toContain('was not measured')
})

test('readings are counted: questions that were answered, comments before and now', () => {
  const questions = [
    { number: 1, files_opened: 2, passed: true },
    { number: 2, files_opened: 7, passed: false },
  ]
  const changes = [
    { change: 'a field', held: true },
    { change: 'a facet', held: false },
  ]
  const comments = { drawn: 100, seed: 27, failing: { before: 41, now: 6 } }
  expect(readingsIn({ questions, changes, comments })).toEqual([
    'Of 2 questions a newcomer who knows TypeScript and DynamoDB answered 1.',
    'Of 2 changes that the newcomer carried out by the recipes, the pages and tests named every file for 1.',
    'Of 100 comments drawn by chance from lib and functions (seed 27) 6 needed a second reading; before, 41 did.',
  ])
})

test('words of the glossary are counted by entry, not by row of a table', () => {
  const page = [
    '| spelling | meaning |',
    '| `merged` | accepted |',
    '- **Actor**, **caller**: who makes a request.',
    '- **Snapshot** (project): the state before a merge.',
    '- **Snapshot** (search): one file.',
  ].join('\n')
  expect(wordsOfGlossary(page)).toEqual({ words: 3, withOneMeaning: 2 })
})
