import { expect, test } from 'vitest'
import { concepts } from '../../../lib/domain/search-words/concepts.ts'
import questions from '../../../lib/domain/search-words/questions.json' with { type: 'json' }
import { readMonths } from '../../../lib/engines/calendars/index.ts'

/** Search has its months as data, the comparison of values those of the calendars: both have to say the same. */
test.each(Object.keys(questions.month))('the months near %s are those that overlap with it', (label) => {
  const own = readMonths(label)
  const overlapping = Object.keys(questions.month).filter(
    (other) => other !== label && [...(readMonths(other) ?? [])].some((half) => own?.has(half)),
  )
  const month = concepts().find((it) => it.as === 'month' && it.label === label)
  expect(month?.near?.toSorted()).toEqual(overlapping.toSorted())
})
