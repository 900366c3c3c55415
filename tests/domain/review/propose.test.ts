import { describe, expect, test } from 'vitest'
import { sourceType } from '../../../lib/domain/kinds/schema/enums.ts'
import { proposeHandling, sourceRanks } from '../../../lib/domain/review/propose.ts'

const handling = (standing: [string, string], rival: [string, string]) => {
  const [old, next] = [standing, rival].map(([source_type, confidence]) => ({ source_type, confidence }))
  return old && next && proposeHandling('contradicts', old, next)?.proposed_handling
}

test('every type of source has one rank', () => {
  expect(sourceRanks.flat().sort()).toEqual(Object.keys(sourceType.values).sort())
})

describe('of two values that exclude each other', () => {
  test.each([
    // A blog never takes the place of scholarship, however sure it is of itself.
    [['book', 'likely'], ['web', 'certain'], 'existing_stands'],
    [['journal', 'speculative'], ['web', 'certain'], 'existing_stands'],
    [['web', 'likely'], ['book', 'likely'], 'supersedes'],
    [['web', 'likely'], ['inscription', 'certain'], 'supersedes'],
    [['image', 'likely'], ['thesis', 'likely'], 'supersedes'],
    // A better source that is less sure of it decides nothing.
    [['web', 'certain'], ['book', 'uncertain'], 'disputed'],
    // Close ranks: only confidence decides, and never for the new one.
    [['book', 'likely'], ['archive', 'certain'], 'disputed'],
    [['book', 'certain'], ['archive', 'likely'], 'existing_stands'],
    [['archival', 'likely'], ['archive', 'likely'], 'disputed'],
    [['thesis', 'likely'], ['journal', 'certain'], 'disputed'],
    [['field_note', 'certain'], ['field_survey', 'likely'], 'existing_stands'],
    // What has no source is trusted least.
    [['', 'likely'], ['oral_history', 'likely'], 'supersedes'],
    [['', 'likely'], ['web', 'likely'], 'disputed'],
  ] as const)('%j stands, %j is new: %s', (standing, rival, proposed) => {
    expect(handling([...standing], [...rival])).toBe(proposed)
  })
})

test('what agrees needs no choice between sources', () => {
  const [web, book] = ['web', 'book'].map((source_type) => ({ source_type, confidence: 'likely' }))
  if (!web || !book) throw new Error('two claims')
  expect(proposeHandling('same', book, web)).toBeUndefined()
  expect(proposeHandling('refines', book, web)?.proposed_handling).toBe('refines')
  expect(proposeHandling('compatible', book, web)?.proposed_handling).toBe('coexist')
})
