import { describe, expect, test } from 'vitest'
import { english } from '../../../lib/base/language/say.ts'
import { quoteSentences } from '../../../lib/doors/assistant/extract.ts'
import type { Passage } from '../../../lib/doors/assistant/passage.ts'
import { questionIn, searchWords } from '../../../lib/doors/assistant/thread.ts'
import { cutAtWord } from '../../../lib/engines/matching/cut.ts'

describe('the words of a question', () => {
  test.each([
    ['Where is Nyatapola?', ['Nyatapola']],
    ['Tell me about the Rato Machhindranath jatra!', ['Rato', 'Machhindranath', 'jatra']],
    ['न्यातपोल कहाँ छ?', ['न्यातपोल']],
    ['Who was Siddhi Lakshmi and what is Siddhi?', ['Siddhi', 'Lakshmi']],
    ["Krishna's temple (Patan)", ["Krishna's", 'temple', 'Patan']],
    // A question of nothing but asking is looked for as it is.
    ['What is this?', ['What', 'is', 'this']],
    ['???', []],
    ['🛕', []],
  ])('%s', (question, words) => {
    expect(searchWords(question)).toEqual(words)
  })

  test('are no more than 24, of the first 400 letters', () => {
    expect(searchWords(Array.from({ length: 200 }, (_, i) => `w${i}`).join(' '))).toHaveLength(24)
    expect(searchWords(`${'x'.repeat(500)} Nyatapola`)).toEqual(['x'.repeat(400)])
  })
})

test('the question is what the user says last', () => {
  const said = (role: 'user' | 'assistant' | 'system', content: string) => ({ role, content })
  expect(questionIn([said('user', 'a'), said('assistant', 'b'), said('user', 'c'), said('system', 'd')])).toBe('c')
  expect(questionIn([said('assistant', 'b')])).toBeUndefined()
})

test('a text is cut at a word, never within a letter', () => {
  expect(cutAtWord('one two three', 20)).toBe('one two three')
  expect(cutAtWord('one two three', 9)).toBe('one two…')
  expect(cutAtWord('😀'.repeat(10), 5)).toBe(`${'😀'.repeat(4)}…`)
  expect([...cutAtWord('word '.repeat(100), 30)].length).toBeLessThanOrEqual(30)
})

describe('a quote', () => {
  const passage = (more: Partial<Passage> = {}): Passage => ({
    id: '1',
    resource: 'persons',
    label: 'Historical Person',
    title: 'Arniko',
    text: 'He was born in Patan. He built a stupa in Beijing. He wrote nothing. He died abroad.',
    facts: [
      { label: 'Born', about: 'time', text: '1245' },
      { label: 'Occupation', about: 'other', text: 'Builder' },
    ],
    url: '/knowledge/person/view/1',
    ...more,
  })
  const quoted = (question: string, ...passages: Passage[]) =>
    quoteSentences(question, searchWords(question), passages, english).split('\n\n').slice(1)

  test('begins with the facts that are asked for, and has the sentences that share most words with the question', () => {
    expect(quoted('When was Arniko born?', passage())).toEqual([
      'Arniko (historical person): Born: 1245. He was born in Patan. He built a stupa in Beijing.',
    ])
    expect(quoted('Which stupa in Beijing?', passage())).toEqual([
      'Arniko (historical person): He was born in Patan. He built a stupa in Beijing.',
    ])
  })

  test('of a record without a description has its facts, of one with nothing says so', () => {
    expect(quoted('Arniko', passage({ text: '' }))).toEqual([
      'Arniko (historical person): Born: 1245. Occupation: Builder.',
    ])
    expect(quoted('Arniko', passage({ text: '', facts: [] }))).toEqual([
      'Arniko (historical person): the record holds no description yet.',
    ])
  })

  test('is made of three records at most', () => {
    expect(quoted('Arniko', passage(), passage(), passage(), passage())).toHaveLength(3)
  })
})
