import { countEdits, countEditsToPrefix } from '../../matching/index.ts'
import type { Sight } from '../index/columns.ts'
import { gramsOf } from '../index/grams.ts'
import { ANY_VOICE } from '../index/voice.ts'
import { termOf, type Word } from '../index/words.ts'
import { type Choice, isWritten, type WeightedWord } from './choices.ts'
import type { Corpus, Words } from './corpus.ts'

const MOST_NEAR = 24

/**
 * The most edits of a near spelling: none below three letters, one up to seven, two above. A Devanagari question allows
 * one more above four letters, since a syllable is several letters.
 */
const mostEdits = (letters: number, syllabic: boolean) =>
  letters < 3 ? 0 : (letters < 8 ? 1 : 2) + (syllabic && letters > 4 ? 1 : 0)

/** What a near spelling counts if the word itself is written somewhere. */
const DOUBTED = 0.6

/** Words that are spelt nearly so. Slips happen to the word as written; other spellings of a name show in its term. */
export function nearChoices(corpus: Corpus, it: WeightedWord, sight: Sight): Choice[] {
  const { raw, term, known, begins, syllabic, swapped } = it
  const close = (found: Iterable<string>, to: string) =>
    [...found].flatMap((each) => {
      const most = mostEdits(to.length, syllabic)
      const apart = countEdits(to, each, most)
      const fit = 0.9 * (1 - apart / Math.max(to.length, each.length)) ** 2
      return each !== to && apart <= most ? [{ terms: [termOf(each)], fit }] : []
    })
  const found = [
    ...close(spelledLike(corpus.words, raw, syllabic, sight), raw),
    ...(term.length > 3 ? close(spelledLike(corpus.terms, term, syllabic, sight), term) : []),
    ...sameSkeletons(corpus, it, sight),
    ...[...swapped].map((each) => ({ terms: [termOf(each)], fit: 0.6 })),
    ...(begins && !isWritten(it) ? nearlyBegun(corpus, begins.raw, sight) : []),
  ]
  return found
    .filter(({ terms: [each] }) => each !== term && corpus.terms.count(each ?? '', sight) > 0)
    .sort((a, b) => b.fit - a.fit || ((a.terms[0] ?? '') < (b.terms[0] ?? '') ? -1 : 1))
    .slice(0, MOST_NEAR)
    .map((choice) => (known ? { ...choice, fit: choice.fit * DOUBTED } : choice))
    .concat(slipOf(corpus, it, sight))
}

/** Words with the same consonants. */
function sameSkeletons(corpus: Corpus, { skeleton }: Word, sight: Sight): Choice[] {
  const found = skeleton === undefined ? [] : corpus.terms.sharing([skeleton], 1, MOST_NEAR, sight)
  return found.map((each) => ({ terms: [each], fit: SKELETON_FIT }))
}

const SKELETON_FIT = 0.55

/**
 * If a term stands in so many times more documents than the word as typed, the word may be a slip: Baktapur, Bhaktapur.
 */
const OFTENER = 8

const slipOf = (corpus: Corpus, { raw, term, known }: WeightedWord, sight: Sight): Choice[] =>
  known && corpus.terms.count(term, sight) > OFTENER * corpus.words.count(raw, sight)
    ? [{ terms: [term], voice: ANY_VOICE, fit: 0.9 * DOUBTED }]
    : []

/** Candidates from a vocabulary. Short words share too few grams, so every text one edit away is tried instead. */
function spelledLike(words: Words, text: string, syllabic: boolean, sight: Sight): Set<string> {
  const most = mostEdits(text.length, syllabic)
  if (most === 0) return new Set()
  const spelt = (each: string) => words.count(each, sight) > 0
  if (text.length <= 4) return new Set([...neighbours(text)].filter(spelt))
  const grams = gramsOf(text)
  const least = Math.max(2, grams.length - 3 * most)
  return new Set([...[...swaps(text)].filter(spelt), ...words.sharing(grams, least, 300, sight)])
}

/** Words that nearly begin with the letters. For fewer than five letters there are too many. */
function nearlyBegun(corpus: Corpus, letters: string, sight: Sight): Choice[] {
  if (letters.length < 5) return []
  const grams = gramsOf(letters).slice(0, -1)
  const most = mostEdits(letters.length, false)
  return corpus.words.sharing(grams, Math.max(2, grams.length - 4 * most), 300, sight).flatMap((each) => {
    const apart = countEditsToPrefix(letters, each, most, most)
    const fit = 0.75 * (1 - apart / letters.length) ** 2
    return apart <= most ? [{ terms: [termOf(each)], fit }] : []
  })
}

const letters = [...'abcdefghijklmnopqrstuvwxyz']

/** Every text that is one edit away. */
function* neighbours(term: string): Iterable<string> {
  yield* swaps(term)
  for (let i = 0; i <= term.length; i += 1) {
    const [before, after] = [term.slice(0, i), term.slice(i)]
    if (after) yield before + after.slice(1)
    for (const letter of letters) {
      yield before + letter + after
      if (after) yield before + letter + after.slice(1)
    }
  }
}

/** Every text with two neighbouring letters swapped. Such texts share few grams with it. */
function* swaps(term: string): Iterable<string> {
  for (let i = 1; i < term.length; i += 1) yield term.slice(0, i - 1) + term[i] + term[i - 1] + term.slice(i + 1)
}
