import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fold } from '../../../lib/engines/matching/fold.ts'
import { otherEndingsOf, otherSpellingsOf } from '../../../lib/engines/search/model/spellings.ts'

test.each([
  ['Kshetrapal', 'Chhetrapal'],
  ['Lakshmi', 'Lachhimi'],
  ['Bhagawati', 'Bhagwati'],
  ['Tarakeshwar', 'Tarkeshwar'],
  ['Shambhu', 'Shanbhu'],
  ['Champadevi', 'Chanpadevi'],
  ['Singha', 'Simha'],
  ['सिंह', 'Singha'],
  ['Bhairab', 'Bhayrab'],
  ['Guhyeshwari', 'Guheshwari'],
  ['Guhyeshwari', 'Guhyeshowari'],
  ['Gyaneshwor', 'Jnaneshwor'],
  ['Yagya', 'Yagnya'],
  ['Yatra', 'Jatra'],
  ['Itumbahal', 'Itumbaha'],
  ['Bungadyah', 'Bungadyo'],
  ['Amrit', 'Amrut'],
  ['Bhatia', 'Bhatiya'],
])('%s may be spelt %s, and the other way round', (one, other) => {
  expect([...otherSpellingsOf(fold(one))]).toContain(fold(other))
  expect([...otherSpellingsOf(fold(other))]).toContain(fold(one))
})

test.each([
  ['Patan', 'Pharping'],
  ['Durga', 'Kali'],
  ['Rani', 'Ranipokhari'],
  ['Bahal', 'Bahi'],
  ['Birendra', 'Mahendra'],
  ['Rato', 'Seto'],
  ['Kumari', 'Kumar'],
  ['Changu', 'Ichangu'],
  ['Rana', 'Rama'],
  ['Tana', 'Dhana'],
  ['Nyatapola', 'Dattatreya'],
])('%s and %s are two names', (one, other) => {
  expect(fold(one)).not.toBe(fold(other))
  expect([...otherSpellingsOf(fold(one)), ...otherEndingsOf(fold(one))]).not.toContain(fold(other))
})

test.each([
  ['Pashupati', 'Pashupatinath'],
  ['Bhairab', 'Bhairabsthan'],
  ['Ganesh', 'Ganeshthan'],
  ['Annapurna', 'Annapurnadevi'],
  ['Kamala', 'Kamalamai'],
])('%s may be called %s', (one, other) => {
  expect(otherEndingsOf(fold(one))).toContain(fold(other))
  expect(otherEndingsOf(fold(other))).toContain(fold(one))
})

test('a short word is no name with an ending', () => {
  expect(otherEndingsOf('nat')).not.toContain('')
  expect(otherEndingsOf('ramji')).not.toContain('ram')
})

test('whatever the term, other spellings are folded, few and not the term itself', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'abcdeghijklmnoprstuy'), maxLength: 40 }), (text) => {
      const term = fold(text)
      const found = otherSpellingsOf(term)
      expect(found.has(term)).toBe(false)
      expect(found.size).toBeLessThan(200)
      expect([...found].filter((each) => fold(each) !== each)).toEqual([])
    }),
  )
})
