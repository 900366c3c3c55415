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
  lookUpExactly,
  MOST_COMPLETIONS,
  recallWord,
  visibleTerms,
  type WeightedWord,
  weigh,
} from './lookup.ts'
import { parseQuestion, type QueryWord } from './question.ts'
import { otherSpellingsOf } from './spellings.ts'

/**
 * The share of a question's words that documents contain, weighted by `tells`. A word that a document contains counts fully. A word that
 * only has near spellings counts half or less.
 */
export function knownShare(queryWords: readonly WeightedWord[]): number {
  const knownPart = (word: WeightedWord) => {
    if (isWritten(word)) return 1
    if (word.choices.length === 0) return 0
    return word.raw.length > 4 || queryWords.length < 3 ? 0.5 : 0.25
  }
  const known = queryWords.reduce((sum, word) => sum + word.tells * knownPart(word), 0)
  return known / queryWords.reduce((sum, { tells }) => sum + tells, 0)
}

/**
 * Adds choices to each word: near spellings, words that contain it, and synonyms. Also two words that documents write as one, and a word
 * that they write as two.
 */
export function lookUpNearly(
  corpus: Corpus,
  written: readonly WeightedWord[],
  tally: ColumnTally,
  literal = false,
): WeightedWord[] {
  const isLong = written.filter(countsInText).length > MOST_NAME_WORDS
  return written.map((word, i) => {
    if (word.aside || (isLong && isWritten(word))) return word
    const withNear = recallWord(corpus, word, `nearly ${tally} ${literal}`, () => {
      const near = nearChoices(corpus, word, tally)
      const choices = [
        ...word.choices,
        ...otherSpellingChoices(corpus, word, tally),
        ...splitChoices(corpus, word, tally),
        ...(literal ? near : withConceptTags(corpus, [...near, ...nearConceptChoices(word)], tally)),
        ...containingChoices(corpus, word, tally),
        ...synonymChoices(corpus, word, tally),
      ]
      return weigh(corpus, word, choices.length > 0 ? choices : splitWithSlip(corpus, word, tally))
    })
    const joined = joinedChoices(corpus, written, i, tally)
    return joined.length === 0 ? withNear : weigh(corpus, word, [...withNear.choices, ...joined])
  })
}

/**
 * Whether a document of this tally holds a word, a longer word that begins with it, or a spelling of at least the fit `least`. With
 * `evenJoined`, two words that make up the word count as a spelling.
 */
export function isKnownWord(
  corpus: Corpus,
  typed: string,
  tally: ColumnTally,
  least: number,
  evenJoined = false,
): boolean {
  const words = parseQuestion(corpus, typed, tally)
  const isBeginning = (raw: string) => raw.length > 2 && corpus.words.beginning(raw, 1, tally).length > 0
  if (words.every(({ known, raw }) => known || isBeginning(raw))) return words.length > 0
  // A word that is put together from two others is no spelling of them: Varanasi is not "varna" and "si".
  const isHeld = (term: string) => corpus.terms.count(term, tally) > 0
  const isSpelling = ({ terms, fit }: Choice) =>
    (evenJoined || terms.length === 1) && fit >= least && terms.every(isHeld)
  return lookUpNearly(corpus, lookUpExactly(corpus, words, tally), tally).every(({ choices }) =>
    choices.some(isSpelling),
  )
}

/** A question of more words is a question for texts. Its words that documents contain get no near spellings. */
const MOST_NAME_WORDS = 4

/** Other spellings of a name, and the name with an ending that it may have or lack: Pashupati, Pashupatinath. */
function otherSpellingChoices(corpus: Corpus, { others, ended }: QueryWord, tally: ColumnTally): Choice[] {
  const choicesOf = (spellings: ReadonlySet<string>, fit: number) =>
    visibleTerms(corpus, new Set([...spellings].map(toTerm)), tally).map((term) => ({ terms: [term], fit }))
  return [...choicesOf(others, 0.9), ...choicesOf(ended, 0.75)]
}

/** Terms of concepts that are one edit away from a word that no document contains. */
const nearConceptChoices = (word: WeightedWord): Choice[] =>
  isWritten(word) || word.raw.length < 5
    ? []
    : conceptTerms()
        .filter((term) => Math.abs(term.length - word.term.length) <= 1 && countEdits(word.term, term, 1) <= 1)
        .map((term) => ({ terms: [term], fit: 0.6 }))

/** Adds the tag of its concept before each choice. So a misspelling of "temple" finds all temples. */
const withConceptTags = (corpus: Corpus, choices: readonly Choice[], tally: ColumnTally): Choice[] =>
  choices.flatMap((choice) => {
    const concept = conceptOf(choice.terms[0] ?? '')
    const tags = concept ? visibleTerms(corpus, [tagOf(concept)], tally) : []
    return [...tags.map((tag) => ({ terms: [tag], fit: choice.fit })), { ...choice, adds: tags.length > 0 }]
  })

/** Words that contain the letters of a word. Towns are left out, since Dhungepatan is not in Patan. */
function containingChoices(corpus: Corpus, { raw, term }: Word, tally: ColumnTally): Choice[] {
  if (raw.length < 4 || townTerms().has(term)) return []
  const pieces = requiredPiecesOf(raw)
  const longerWords = corpus.words
    .sharing(pieces, pieces.length, MOST_COMPLETIONS, tally)
    .filter((word) => word.includes(raw))
  return visibleTerms(corpus, new Set(longerWords.map(toTerm)), tally)
    .filter((longer) => longer !== term)
    .map((longer) => ({ terms: [longer], fit: 0.3 + 0.4 * Math.min(1, raw.length / longer.length) }))
}

function synonymChoices(corpus: Corpus, { term }: Word, tally: ColumnTally): Choice[] {
  return visibleTerms(corpus, synonymsOf(term), tally).map((synonym) => ({ terms: [synonym], fit: 0.5 }))
}

/** A word that documents write as two: "mayadevi" for Maya Devi. */
function splitChoices(corpus: Corpus, { raw }: Word, tally: ColumnTally): Choice[] {
  if (raw.length < 5) return []
  const isKnown = (term: string) => corpus.terms.count(term, tally) > 0
  const knownSpelling = (term: string) => (isKnown(term) ? term : [...otherSpellingsOf(term)].map(toTerm).find(isKnown))
  return Array.from({ length: raw.length - 3 }, (_, i) => i + 2).flatMap((length) => {
    const first = knownSpelling(toTerm(raw.slice(0, length)))
    const second = first === undefined ? undefined : knownSpelling(toTerm(raw.slice(length)))
    return first === undefined || second === undefined ? [] : [{ terms: [first, second], fit: 0.85 }]
  })
}

/** The least letters of each part into which `splitWithSlip` splits a word. */
const LEAST_PART = 4
const SPLIT_WITH_SLIP_FIT = 0.6

/** Two words that were written as one with a slip in the second: "mayadvei" for Maya Devi. Only for a word that is like no other. */
function splitWithSlip(corpus: Corpus, { raw, syllabic }: QueryWord, tally: ColumnTally): Choice[] {
  const places = Array.from({ length: Math.max(0, raw.length - 2 * LEAST_PART + 1) }, (_, i) => i + LEAST_PART)
  return places.flatMap((place) => {
    const [first, rest] = [toTerm(raw.slice(0, place)), raw.slice(place)]
    if (corpus.words.count(raw.slice(0, place), tally) === 0) return []
    return [...listCandidates(corpus.words, rest, syllabic, tally)]
      .filter((candidate) => countEdits(rest, candidate, 1) <= 1)
      .map((candidate) => ({ terms: [first, toTerm(candidate)], fit: SPLIT_WITH_SLIP_FIT }))
  })
}

/** The most near spellings of a word. */
const MOST_NEAR = 24

/**
 * The most edits of a near spelling: none below three letters, one up to seven letters, two above. A question in Devanagari allows one edit
 * more above four letters, since a syllable has several letters.
 */
const mostEdits = (letters: number, syllabic: boolean) =>
  letters < 3 ? 0 : (letters < 8 ? 1 : 2) + (syllabic && letters > 4 ? 1 : 0)

/** The factor for near spellings of a word that a document contains as typed. */
const KNOWN_WORD_FACTOR = 0.6

/**
 * The near spellings of a word. The word as written is compared to find slips, and its term to find other spellings of a name.
 */
function nearChoices(corpus: Corpus, word: WeightedWord, tally: ColumnTally): Choice[] {
  const { raw, term, known, begins, syllabic, swapped } = word
  const choicesNear = (text: string, candidates: Iterable<string>) =>
    [...candidates].flatMap((candidate) => {
      const most = mostEdits(text.length, syllabic)
      const edits = countEdits(text, candidate, most)
      const fit = 0.9 * (1 - edits / Math.max(text.length, candidate.length)) ** 2
      return candidate !== text && edits <= most ? [{ terms: [toTerm(candidate)], fit }] : []
    })
  const choices = [
    ...choicesNear(raw, listCandidates(corpus.words, raw, syllabic, tally)),
    ...(term.length > 3 ? choicesNear(term, listCandidates(corpus.terms, term, syllabic, tally)) : []),
    ...sameSkeletons(corpus, word, tally),
    ...[...swapped].map((spelling) => ({ terms: [toTerm(spelling)], fit: 0.6 })),
    ...(begins && !isWritten(word) ? nearCompletions(corpus, begins.raw, tally) : []),
  ]
  return choices
    .filter(({ terms: [near] }) => near !== term && corpus.terms.count(near ?? '', tally) > 0)
    .sort((a, b) => b.fit - a.fit || ((a.terms[0] ?? '') < (b.terms[0] ?? '') ? -1 : 1))
    .slice(0, MOST_NEAR)
    .map((choice) => (known ? { ...choice, fit: choice.fit * KNOWN_WORD_FACTOR } : choice))
    .concat(slipChoices(corpus, word, tally))
}

/** Words with the same skeleton (`skeletonOf`): after the first letter they differ only in vowels, y, b and h, or in doubled letters. */
function sameSkeletons(corpus: Corpus, { skeleton }: Word, tally: ColumnTally): Choice[] {
  const terms = skeleton === undefined ? [] : corpus.terms.sharing([skeleton], 1, MOST_NEAR, tally)
  return terms.map((term) => ({ terms: [term], fit: SKELETON_FIT }))
}

const SKELETON_FIT = 0.55

/** A word may be a slip (Baktapur for Bhaktapur) if its term is in more than `SLIP_FACTOR` times as many documents as the word itself. */
const SLIP_FACTOR = 8

const slipChoices = (corpus: Corpus, { raw, term, known }: WeightedWord, tally: ColumnTally): Choice[] =>
  known && corpus.terms.count(term, tally) > SLIP_FACTOR * corpus.words.count(raw, tally)
    ? [{ terms: [term], voice: ANY_VOICE, fit: 0.9 * KNOWN_WORD_FACTOR }]
    : []

/**
 * Lists words of a vocabulary that may be near a text. Short words share too few grams, so all texts at one edit are tried instead.
 */
function listCandidates(words: Words, text: string, syllabic: boolean, tally: ColumnTally): Set<string> {
  const most = mostEdits(text.length, syllabic)
  if (most === 0) return new Set()
  const isKnown = (word: string) => words.count(word, tally) > 0
  if (text.length <= 4) return new Set([...neighbours(text)].filter(isKnown))
  const grams = gramsOf(text)
  const least = Math.max(2, grams.length - 3 * most)
  return new Set([...[...swaps(text)].filter(isKnown), ...words.sharing(grams, least, 300, tally)])
}

/** Words whose beginning is near these letters. With fewer than five letters, such words are too many. */
function nearCompletions(corpus: Corpus, letters: string, tally: ColumnTally): Choice[] {
  if (letters.length < 5) return []
  const grams = gramsOf(letters).slice(0, -1)
  const most = mostEdits(letters.length, false)
  return corpus.words.sharing(grams, Math.max(2, grams.length - 4 * most), 300, tally).flatMap((word) => {
    const edits = countEditsToPrefix(letters, word, most, most)
    const fit = 0.75 * (1 - edits / letters.length) ** 2
    return edits <= most ? [{ terms: [toTerm(word)], fit }] : []
  })
}

const letters = [...'abcdefghijklmnopqrstuvwxyz']

/** Yields every text at one edit. */
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
