import { describe, expect, test } from 'vitest'
import {
  commentsOf,
  isParticiple,
  longComments,
  longParagraphs,
  longSentencesIn,
  MOST_WORDS,
  paragraphsOf,
  participles,
} from './words.ts'

describe(`no sentence has more than ${MOST_WORDS} words`, () => {
  test('the rule itself sees one', () => {
    const long = Array.from({ length: MOST_WORDS + 1 }, () => 'word').join(' ')
    expect(longSentencesIn(commentsOf(`/** ${long}. */\n`))).toEqual([long])
    expect(longSentencesIn(commentsOf(`// ${long.slice(0, 60)}\n// ${long.slice(60)}\n`))).toEqual([long])
    expect(longSentencesIn(paragraphsOf(`# Head\n\n- ${long}\n`))).toEqual([`- ${long}`])
    expect(longSentencesIn(commentsOf('/** One idea. Another idea: with an example. */'))).toEqual([])
  })

  test('in comments', () => {
    expect(longComments()).toEqual([])
  })

  test('in pages', () => {
    expect(longParagraphs()).toEqual([])
  })
})

describe('no exported name is a participle alone', () => {
  test('the rule itself sees them', () => {
    expect(['told', 'listed', 'placing', 'loadRecord', 'claim', 'nothing', 'cut'].filter(isParticiple)).toEqual([
      'told',
      'listed',
      'placing',
    ])
  })

  test('say what it is: a verb with an object (`loadRecord`), or a noun (`claim`)', () => {
    expect(participles()).toEqual([])
  })
})
