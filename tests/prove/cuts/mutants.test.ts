import { expect, test } from 'vitest'
import { astray } from './mutants.ts'

test('each mutant finds what it cuts', () => {
  expect(astray()).toEqual([])
})
