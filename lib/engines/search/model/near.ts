import { countEdits, countEditsToPrefix } from '../../matching/index.ts'
import type { ColumnTally } from '../index/columns.ts'
import { gramsOf, requiredPiecesOf } from '../index/grams.ts'
import { conceptOf, conceptTerms, tagOf } from '../index/tags.ts'
import { ANY_VOICE } from '../index/voice.ts'
import { toTerm, townTerms, type Word } from '../index/words.ts'
import { synonymsOf } from '../synonyms.ts'
import type { Corpus, Words } from './corpus.ts'
import {
  type Choice,
  countsInText,
  isWritten,
  joinedChoices,
  MOST_COMPLETIONS,
  recallWord,
  visibleTerms,
  type WeightedWord,
  weigh,
} from './lookup.ts'
import type { QueryWord } from './question.ts'
import { otherSpellingsOf } from './spellings.ts'

/**
 * The share of a question that documents know, weighed by what its words tell. A word that is written somewhere counts
 * fully, one that only has near spellings counts half or less.
 */
export function knownShare(wanted: readonly WeightedWord[]): number {
  const known = (it: WeightedWord) =>
    isWritten(it) ? 1 : it.choices.length > 0 ? (it.raw.length > 4 || wanted.length < 3 ? 0.5 : 0.25) : 0
  const [told, all] = wanted.reduce(([a, b], it) => [a + it.tells * known(it), b + it.tells], [0, 0])
  return told / all
}

/** Adds to each word: near spellings, words that contain it, synonyms, and ways to write it together or apart. */
export function lookUpNearly(
  corpus: Corpus,
  written: readonly WeightedWord[],
  tally: ColumnTally,
  literal = false,
): WeightedWord[] {
  const long = written.filter(countsInText).length > SHORT
  return written.map((it, i) => {
    if (it.aside || (long && isWritten(it))) return it
    const nearly = recallWord(corpus, it, `nearly ${tally} ${literal}`, () => {
      const alike = nearChoices(corpus, it, tally)
      return weigh(corpus, it, [
        ...it.choices,
        ...otherSpellingChoices(corpus, it, tally),
        ...splitChoices(corpus, it, tally),
        ...(literal ? alike : withConceptTags(corpus, [...alike, ...nearConceptChoices(it)], tally)),
        ...containingChoices(corpus, it, tally),
        ...synonymChoices(corpus, it, tally),
      ])
    })
    const beside = joinedChoices(corpus, written, i, tally)
    return beside.length === 0 ? nearly : weigh(corpus, it, [...nearly.choices, ...beside])
  })
}

/** A longer question is one for texts. Its words that are written somewhere get no near spellings. */
const SHORT = 4

/** Other spellings of a name, and the name with an ending that it may have or lack: Pashupati, Pashupatinath. */
function otherSpellingChoices(corpus: Corpus, { others, ended }: QueryWord, tally: ColumnTally): Choice[] {
  const fitting = (found: Iterable<string>, fit: number) =>
    visibleTerms(corpus, found, tally).map((each) => ({ terms: [each], fit }))
  return [...fitting(new Set([...others].map(toTerm)), 0.9), ...fitting(new Set([...ended].map(toTerm)), 0.75)]
}

/** Concepts that a word may be a misspelling of, if no document holds the word. */
const nearConceptChoices = (it: WeightedWord): Choice[] =>
  isWritten(it) || it.raw.length < 5
    ? []
    : conceptTerms()
        .filter((term) => Math.abs(term.length - it.term.length) <= 1 && countEdits(it.term, term, 1) <= 1)
        .map((term) => ({ terms: [term], fit: 0.6 }))

/** Puts the tag of its concept before each choice. So a misspelt sort of thing finds all things of that sort. */
const withConceptTags = (corpus: Corpus, choices: readonly Choice[], tally: ColumnTally): Choice[] =>
  choices.flatMap((choice) => {
    const concept = conceptOf(choice.terms[0] ?? '')
    const tags = concept ? visibleTerms(corpus, [tagOf(concept)], tally) : []
    return [...tags.map((tag) => ({ terms: [tag], fit: choice.fit })), { ...choice, adds: tags.length > 0 }]
  })

/** Words that contain the letters. A town's name within a word is another place: Dhungepatan is not in Patan. */
function containingChoices(corpus: Corpus, { raw, term }: Word, tally: ColumnTally): Choice[] {
  if (raw.length < 4 || townTerms().has(term)) return []
  const pieces = requiredPiecesOf(raw)
  const found = corpus.words
    .sharing(pieces, pieces.length, MOST_COMPLETIONS, tally)
    .filter((each) => each.includes(raw))
  return visibleTerms(corpus, new Set(found.map(toTerm)), tally)
    .filter((each) => each !== term)
    .map((each) => ({ terms: [each], fit: 0.3 + 0.4 * Math.min(1, raw.length / each.length) }))
}

function synonymChoices(corpus: Corpus, { term }: Word, tally: ColumnTally): Choice[] {
  return visibleTerms(corpus, synonymsOf(term), tally).map((each) => ({ terms: [each], fit: 0.5 }))
}

/** One word that documents write as two: "mayadevi" for Maya Devi. */
function splitChoices(corpus: Corpus, { raw }: Word, tally: ColumnTally): Choice[] {
  if (raw.length < 5) return []
  const known = (term: string) => corpus.terms.count(term, tally) > 0
  const spelt = (term: string) => (known(term) ? term : [...otherSpellingsOf(term)].map(toTerm).find(known))
  return Array.from({ length: raw.length - 3 }, (_, i) => i + 2).flatMap((at) => {
    const first = spelt(toTerm(raw.slice(0, at)))
    const second = first === undefined ? undefined : spelt(toTerm(raw.slice(at)))
    return first === undefined || second === undefined ? [] : [{ terms: [first, second], fit: 0.85 }]
  })
}

const MOST_NEAR = 24

/**
 * The most edits of a near spelling: none below three letters, one up to seven, two above. Devanagari allows one more
 * above four letters, since a syllable has several.
 */
const mostEdits = (letters: number, syllabic: boolean) =>
  letters < 3 ? 0 : (letters < 8 ? 1 : 2) + (syllabic && letters > 4 ? 1 : 0)

/** The factor for near spellings of a word that some document holds as typed. */
const DOUBTED = 0.6

/**
 * Words that are spelt nearly so. Slips are looked for in the word as written, other spellings of a name in its term.
 */
function nearChoices(corpus: Corpus, it: WeightedWord, tally: ColumnTally): Choice[] {
  const { raw, term, known, begins, syllabic, swapped } = it
  const close = (found: Iterable<string>, to: string) =>
    [...found].flatMap((each) => {
      const most = mostEdits(to.length, syllabic)
      const apart = countEdits(to, each, most)
      const fit = 0.9 * (1 - apart / Math.max(to.length, each.length)) ** 2
      return each !== to && apart <= most ? [{ terms: [toTerm(each)], fit }] : []
    })
  const found = [
    ...close(spelledLike(corpus.words, raw, syllabic, tally), raw),
    ...(term.length > 3 ? close(spelledLike(corpus.terms, term, syllabic, tally), term) : []),
    ...sameSkeletons(corpus, it, tally),
    ...[...swapped].map((each) => ({ terms: [toTerm(each)], fit: 0.6 })),
    ...(begins && !isWritten(it) ? nearlyBegun(corpus, begins.raw, tally) : []),
  ]
  return found
    .filter(({ terms: [each] }) => each !== term && corpus.terms.count(each ?? '', tally) > 0)
    .sort((a, b) => b.fit - a.fit || ((a.terms[0] ?? '') < (b.terms[0] ?? '') ? -1 : 1))
    .slice(0, MOST_NEAR)
    .map((choice) => (known ? { ...choice, fit: choice.fit * DOUBTED } : choice))
    .concat(slipOf(corpus, it, tally))
}

/** Words with the same consonants. */
function sameSkeletons(corpus: Corpus, { skeleton }: Word, tally: ColumnTally): Choice[] {
  const found = skeleton === undefined ? [] : corpus.terms.sharing([skeleton], 1, MOST_NEAR, tally)
  return found.map((each) => ({ terms: [each], fit: SKELETON_FIT }))
}

const SKELETON_FIT = 0.55

/**
 * If a term stands in so many times more documents than the word as typed, the word may be a slip: Baktapur for
 * Bhaktapur.
 */
const OFTENER = 8

const slipOf = (corpus: Corpus, { raw, term, known }: WeightedWord, tally: ColumnTally): Choice[] =>
  known && corpus.terms.count(term, tally) > OFTENER * corpus.words.count(raw, tally)
    ? [{ terms: [term], voice: ANY_VOICE, fit: 0.9 * DOUBTED }]
    : []

/**
 * Candidates from a vocabulary. Short words share too few grams, so all texts that are one edit away are tried instead.
 */
function spelledLike(words: Words, text: string, syllabic: boolean, tally: ColumnTally): Set<string> {
  const most = mostEdits(text.length, syllabic)
  if (most === 0) return new Set()
  const spelt = (each: string) => words.count(each, tally) > 0
  if (text.length <= 4) return new Set([...neighbours(text)].filter(spelt))
  const grams = gramsOf(text)
  const least = Math.max(2, grams.length - 3 * most)
  return new Set([...[...swaps(text)].filter(spelt), ...words.sharing(grams, least, 300, tally)])
}

/** Words that nearly begin with these letters. Below five letters there would be too many. */
function nearlyBegun(corpus: Corpus, letters: string, tally: ColumnTally): Choice[] {
  if (letters.length < 5) return []
  const grams = gramsOf(letters).slice(0, -1)
  const most = mostEdits(letters.length, false)
  return corpus.words.sharing(grams, Math.max(2, grams.length - 4 * most), 300, tally).flatMap((each) => {
    const apart = countEditsToPrefix(letters, each, most, most)
    const fit = 0.75 * (1 - apart / letters.length) ** 2
    return apart <= most ? [{ terms: [toTerm(each)], fit }] : []
  })
}

const letters = [...'abcdefghijklmnopqrstuvwxyz']

/** Yields every text that is one edit away. */
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

/** Yields every text with two neighbouring letters swapped. These share few grams with the original. */
function* swaps(term: string): Iterable<string> {
  for (let i = 1; i < term.length; i += 1) yield term.slice(0, i - 1) + term[i] + term[i - 1] + term.slice(i + 1)
}
