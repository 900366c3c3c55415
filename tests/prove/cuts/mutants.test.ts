import { expect, test } from 'vitest'
import { brokenMarkers } from './mutants.ts'

test('each mutant finds the code that it breaks, and each marker is used', () => {
  expect(brokenMarkers()).toEqual([])
})
