import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Comparator, type Comparison, compareClaims, type Value } from '../../../lib/engines/matching/compare.ts'

/** A standing value, a new one, and what the new one is to it. */
const cases: readonly (readonly [Comparator, Value, Value, Comparison])[] = [
  ['text', 'Bagh Bhairab Temple', 'Bagh Bhairav Temple', 'same'],
  ['text', 'Maya Devi Temple', 'Mayadevi Temple', 'same'],
  ['text', 'कृष्ण मन्दिर', 'Krishna Mandir', 'same'],
  ['text', 'Changu Narayan', 'Changu Narayan Temple', 'refines'],
  ['text', 'Changu Narayan Temple', 'Changu Narayan', 'compatible'],
  ['text', 'Krishna Mandir', 'Krishna Temple', 'same'],
  ['text', 'Mahabouddha Temple', 'Mahaboudha Chaitya', 'compatible'],
  ['text', 'Birendra Museum', 'Mahendra Museum', 'contradicts'],
  ['text', 'Krishna Mandir', 'Bhimsen Temple', 'contradicts'],
  ['text', 'Mahadev', 'Shiva', 'same'],
  ['text', 'Vishnu', 'Shiva', 'contradicts'],
  ['text', 'Bhadra', 'भाद्र', 'same'],
  ['text', 'Aug-Sep', 'August to September', 'same'],
  ['text', 'Aug-Sep', 'Bhadra', 'refines'],
  ['text', 'Bhadra', 'Aug-Sep', 'compatible'],
  ['text', 'November to January', 'December', 'refines'],
  ['text', 'Gunla', 'साउन', 'refines'],
  ['text', 'Kaula', 'Mangsir', 'contradicts'],
  ['text', 'Bhadra', 'Magh', 'contradicts'],
  ['text', 'Chaitra', 'Kartik', 'contradicts'],
  ['text', 'Bhadra', 'October', 'contradicts'],
  ['text', 'May', 'May Temple', 'refines'],

  ['prose', 'Built of brick.', 'built of brick', 'same'],
  ['prose', 'Built of brick.', 'Built of wood.', 'compatible'],

  ['date', '1702', '1702 CE', 'same'],
  ['date', '1702', '1702-05-01', 'refines'],
  ['date', '1702-05-01', '1702', 'compatible'],
  ['date', 'c. 1624 CE', '1624', 'refines'],
  ['date', '1624', 'c. 1624 CE', 'compatible'],
  ['date', 'c. 1624', '1630', 'compatible'],
  ['date', 'c. 1624', '1640', 'contradicts'],
  ['date', 'c. 14th century CE', '1979', 'contradicts'],
  ['date', 'c. 5th century CE', '450', 'refines'],
  ['date', '17XX', '1702', 'refines'],
  ['date', '1672', '1702', 'contradicts'],
  ['date', 'BS 2031', '1974', 'compatible'],
  ['date', 'BS 2031', 'May 1974', 'refines'],
  ['date', 'BS 2031', 'January 1974', 'contradicts'],
  ['date', 'BS 1990 Magh 2', '15 January 1934', 'same'],
  ['date', 'NS 1145 Kachhala thwa 1', '3 November 2024', 'contradicts'],
  ['date', '../1500', '1600', 'contradicts'],
  ['date', 'c. medieval period', '1702', 'compatible'],

  ['point', '27.7215,85.362', '27.7215, 85.3620', 'same'],
  ['point', '27.7215,85.362', '27.721389,85.361944', 'refines'],
  ['point', '27.721389,85.361944', '27.7215,85.362', 'compatible'],
  ['point', '27.6714,85.4293', '27.6716,85.4284', 'compatible'],
  ['point', '27.679442602,85.276463597', '27.6800,85.2785', 'contradicts'],
  ['point', '27.7,85.4', '27.7215,85.362', 'refines'],
  ['point', '27.7215,85.362', '28.2466966,83.9655688', 'contradicts'],
  ['point', 'near the river', '27.7215,85.362', 'compatible'],

  ['option', 'Raj_Guthi', 'RajGuthi', 'same'],
  ['option', 'Unknown', 'Extant', 'refines'],
  ['option', 'Extant', 'Unknown', 'compatible'],
  ['option', 'Pagoda', 'Shikhara', 'contradicts'],

  ['reference', [{ id: 3 }], [{ id: '3', name: 'Patan' }], 'same'],
  ['reference', [{ id: 3, name: 'Patan' }], [{ name: 'पाटन' }], 'same'],
  ['reference', 3, [{ id: 3 }], 'same'],
  ['reference', [{ name: 'Patan' }], [{ name: 'Bhaktapur' }], 'contradicts'],
  ['reference', [{ id: 3, name: 'Patan' }], [{ id: 4, name: 'Patan' }], 'contradicts'],
  ['reference', [{ id: 3 }], [{ id: 3 }, { id: 4 }], 'refines'],
  ['reference', [{ id: 3 }, { id: 4 }], [{ id: 3 }], 'compatible'],

  ['set', ['Hindu'], ['Shaivism', 'Tantra'], 'compatible'],
  ['set', ['Hindu'], ['Buddhist', 'Hindu'], 'refines'],
  ['set', ['Hindu', 'Buddhist'], ['buddhist', 'hindu'], 'same'],
  ['set', [], ['Hindu'], 'refines'],

  ['number', '1,200', 1200, 'same'],
  ['number', '1,20,000', '120000', 'same'],
  ['number', '1,20,000', '1', 'contradicts'],
  ['number', 12, '12.4 m', 'refines'],
  ['number', '12.4', '12', 'compatible'],
  ['number', 12, 13, 'contradicts'],

  ['url', 'http://www.Example.org/a/', 'https://example.org/a#top', 'same'],
  ['url', 'https://example.org/a', 'https://example.org/b', 'compatible'],

  ['flag', true, 'yes', 'same'],
  ['flag', true, false, 'contradicts'],
  ['flag', true, 'constructor', 'compatible'],
]

describe('compareClaims', () => {
  test.each(cases)('%s: %j, then %j: %s', (comparator, a, b, verdict) => {
    expect(compareClaims(comparator, a, b)).toBe(verdict)
  })

  const comparators = [...new Set(cases.map(([comparator]) => comparator))]

  test.each(comparators)('%s: a value is the same as itself', (comparator) => {
    fc.assert(fc.property(someValue(comparator), (value) => compareClaims(comparator, value, value) === 'same'))
  })

  const orderless = (comparator: Comparator, a: Value, b: Value) => {
    const [there, back] = [compareClaims(comparator, a, b), compareClaims(comparator, b, a)]
    const wanted = there === 'refines' ? 'compatible' : there
    // Of two that are compatible one may refine the other.
    if (there !== 'compatible' && back !== wanted)
      throw new Error(`${JSON.stringify([a, b])} gives ${there}, and the other way round ${back}`)
  }

  test.each(comparators)('%s: same and contradicts do not depend on the order', (comparator) => {
    const all = [...seenBy(comparator), ...phrases, ...phrases.map((list) => list.join(' '))]
    for (const [i, a] of all.entries()) for (const b of all.slice(i)) orderless(comparator, a, b)
    const any = someValue(comparator)
    fc.assert(
      fc.property(any, any, (a, b) => orderless(comparator, a, b)),
      { numRuns: 2000 },
    )
  })

  test('prose, sets and addresses never contradict', () => {
    fc.assert(
      fc.property(fc.constantFrom<Comparator>('prose', 'set', 'url'), fc.string(), fc.string(), (comparator, a, b) => {
        expect(compareClaims(comparator, a, b)).not.toBe('contradicts')
      }),
    )
  })
})

const seenBy = (comparator: Comparator): Value[] =>
  cases.filter(([each]) => each === comparator).flatMap(([, a, b]) => [a, b])

const words = ['Shiva', 'Mandir', 'Patan', 'Krishna', '12', '1.5']
/** None, one and two of them. */
const phrases = [[], ...words.map((word) => [word]), ...words.flatMap((one) => words.map((next) => [one, next]))]

/** Values seen in the table, and anything else that a member may hold. */
function someValue(comparator: Comparator): fc.Arbitrary<Value> {
  const lists = fc.array(fc.constantFrom(...words), { maxLength: 3 })
  return fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...seenBy(comparator)) },
    fc.string(),
    lists.map((list) => list.join(' ')),
    lists,
    fc.integer(),
    fc.boolean(),
  )
}
