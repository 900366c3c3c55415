import { expect, test } from 'vitest'
import { syllablesSwapped } from '../../lib/matching/devanagari.ts'

test.each([
  ['मन्दिर', ['न्दिमर', 'मरन्दि']],
  ['पशुपति', ['शुपपति', 'पपशुति', 'पशुतिप']],
  ['आकाश', ['काआश', 'आशका']],
  ['दद', []],
  ['श्री', []],
  ['', []],
])('%s with two syllables swapped', (word, swapped) => {
  expect(syllablesSwapped(word)).toEqual(swapped)
})
