import { describe, expect, test } from 'vitest'
import {
  commentsOf,
  isParticiple,
  isQuestion,
  longComments,
  longParagraphs,
  longSentencesIn,
  MOST_WORDS,
  paragraphsOf,
  participles,
  topLevelFunctionsOf,
  vagueFunctions,
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

describe('no top-level function is a participle or a question word alone', () => {
  test('the rule itself sees functions of every form, and no values', () => {
    const code = [
      'export async function told() {}',
      'function* asked() {}',
      'const shown: (text: string) => string = (text) => text',
      'export const where = async <T>(',
      '  value: T,',
      ') => value',
      'const settled = [1, 2].map((it) => it + 1)',
      'function load() { const kept = () => 1; return kept }',
    ].join('\n')
    expect(topLevelFunctionsOf(code)).toEqual(['told', 'asked', 'shown', 'where', 'load'])
    expect(['where', 'beside', 'whereOf', 'loadRecord'].filter(isQuestion)).toEqual(['where', 'beside'])
  })

  test('say what it does: a verb with an object (`loadRecord`)', () => {
    expect(vagueFunctions()).toEqual([])
  })
})
