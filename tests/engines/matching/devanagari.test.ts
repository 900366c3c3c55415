import { expect, test } from 'vitest'
import { swapSyllables } from '../../../lib/engines/matching/devanagari.ts'

test.each([
  ['मन्दिर', ['न्दिमर', 'मरन्दि']],
  ['पशुपति', ['शुपपति', 'पपशुति', 'पशुतिप']],
  ['आकाश', ['काआश', 'आशका']],
  ['दद', []],
  ['श्री', []],
  ['', []],
])('%s with two syllables swapped', (word, swapped) => {
  expect(swapSyllables(word)).toEqual(swapped)
})
