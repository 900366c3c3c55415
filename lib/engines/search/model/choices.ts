import { countEdits } from '../../matching/index.ts'
import type { Sight } from '../index/columns.ts'
import { tellingPiecesOf } from '../index/grams.ts'
import { conceptOf, conceptTerms, nearbyTags, tagOf } from '../index/tags.ts'
import { ANY_VOICE, onsetOf, type Voice } from '../index/voice.ts'
import { termOf, townTerms, type Word, wordOf } from '../index/words.ts'
import { synonymsOf } from '../synonyms.ts'
import type { Corpus } from './corpus.ts'
import type { QueryWord } from './question.ts'
import { otherSpellingsOf } from './spellings.ts'

/**
 * A way in which a word of the question may stand in a document: one term, or several that must all be there, in words
 * of a voice. `fit`: how well it fits; 1 is exact. `adds`: it counts beside another choice of the same word.
 */
export type Choice = { terms: readonly string[]; fit: number; adds?: boolean; voice?: Voice }

/**
 * A word of the question with its choices, the best first. `weight`: how much it tells of a name. `rarity`: how rare it
 * is.
 */
export type WeightedWord = QueryWord & {
  weight: number
  rarity: number
  choices: readonly Choice[]
}

/** The most completions of an unfinished word, and the most words that contain one. */
const MOST_COMPLETIONS = 400

/** A document listed under the concept of a word counts as holding the word, even if it is not written there. */
export const conceptChoices = (corpus: Corpus, { concept }: QueryWord, sight: Sight): Choice[] =>
  concept
    ? [
        { terms: [tagOf(concept)], fit: 1.001 },
        ...visibleTerms(corpus, nearbyTags(concept), sight).map((tag) => ({ terms: [tag], fit: 0.6 })),
      ]
    : []

/**
 * The word as written. It fits less if it is the beginning of a word and no whole one. A word that stands nowhere also
 * fits words that sound apart, but less: Whels, Bel.
 */
export function exactChoices(
  { terms }: Corpus,
  { raw, known, term, begins, concept }: QueryWord,
  sight: Sight,
): Choice[] {
  if (terms.count(term, sight) === 0) return []
  const adds = concept !== undefined
  const heard = { terms: [term], voice: wordOf(raw).voice, fit: begins && !known ? 0.75 : 1, adds }
  return known ? [heard] : [heard, { ...heard, voice: ANY_VOICE, fit: MISHEARD }]
}

const MISHEARD = 0.5

/** For an unfinished word: words that begin with its letters, and words that begin with its sound. */
export function completionChoices(corpus: Corpus, { term, begins, known }: QueryWord, sight: Sight): Choice[] {
  if (!begins) return []
  const begun = (each: string, least: number) => least + (0.25 * Math.min(term.length, each.length)) / each.length
  const written = corpus.words.beginning(begins.raw, MOST_COMPLETIONS, sight).map(wordOf)
  const sounding = corpus.terms.beginning(begins.sound, MOST_COMPLETIONS, sight)
  const voice = known ? onsetOf(begins.raw) : ANY_VOICE
  return [
    ...written.map((each) => ({ terms: [each.term], voice: each.voice, fit: begun(each.term, COMPLETED) })),
    ...sounding.map((each) => ({ terms: [each], voice, fit: begun(each, COMPLETED - 0.25) })),
  ].filter(({ terms: [each = ''] }) => corpus.terms.count(each, sight) > 0)
}

const COMPLETED = 0.7

/** A document that links to a thing of this name holds the name nearly as well as one that is called so. */
export const LINKED_FIT = 0.9

/** Whether documents hold the word, or one that begins with it, as typed or in another spelling of all of it. */
export const isWritten = ({ choices }: WeightedWord): boolean => choices.some(({ fit }) => fit >= COMPLETED)

/** The other spellings of a name, and the name with an ending that it may have or lack. */
export function otherSpellingChoices(corpus: Corpus, { others, ended }: QueryWord, sight: Sight): Choice[] {
  const fitting = (found: Iterable<string>, fit: number) =>
    visibleTerms(corpus, found, sight).map((each) => ({ terms: [each], fit }))
  return [...fitting(new Set([...others].map(termOf)), 0.9), ...fitting(new Set([...ended].map(termOf)), 0.75)]
}

/** Concepts that a word may be a misspelling of, if it is written nowhere. */
export const nearConceptChoices = (it: WeightedWord): Choice[] =>
  isWritten(it) || it.raw.length < 5
    ? []
    : conceptTerms()
        .filter((term) => Math.abs(term.length - it.term.length) <= 1 && countEdits(it.term, term, 1) <= 1)
        .map((term) => ({ terms: [term], fit: 0.6 }))

/** Puts before each choice the concept that its term names: a sort of thing may be misspelt, too. */
export const withConceptTags = (corpus: Corpus, choices: readonly Choice[], sight: Sight): Choice[] =>
  choices.flatMap((choice) => {
    const concept = conceptOf(choice.terms[0] ?? '')
    const tags = concept ? visibleTerms(corpus, [tagOf(concept)], sight) : []
    return [...tags.map((tag) => ({ terms: [tag], fit: choice.fit })), { ...choice, adds: tags.length > 0 }]
  })

/** Words that contain the letters. The name of a town within a word is another place: Dhungepatan. */
export function containingChoices(corpus: Corpus, { raw, term }: Word, sight: Sight): Choice[] {
  if (raw.length < 4 || townTerms().has(term)) return []
  const pieces = tellingPiecesOf(raw)
  const found = corpus.words
    .sharing(pieces, pieces.length, MOST_COMPLETIONS, sight)
    .filter((each) => each.includes(raw))
  return visibleTerms(corpus, new Set(found.map(termOf)), sight)
    .filter((each) => each !== term)
    .map((each) => ({ terms: [each], fit: 0.3 + 0.4 * Math.min(1, raw.length / each.length) }))
}

export function synonymChoices(corpus: Corpus, { term }: Word, sight: Sight): Choice[] {
  return visibleTerms(corpus, synonymsOf(term), sight).map((each) => ({ terms: [each], fit: 0.5 }))
}

/**
 * Two neighbouring words that documents write as one: "maya devi" for Mayadevi. The joined word stands for either of
 * them. `exactly`: only if it is written somewhere letter for letter.
 */
export function joinedChoices(
  corpus: Corpus,
  all: readonly Word[],
  at: number,
  sight: Sight,
  exactly = false,
): Choice[] {
  const pairs = [`${all[at - 1]?.raw ?? ''} ${all[at]?.raw}`, `${all[at]?.raw} ${all[at + 1]?.raw ?? ''}`]
  const found = pairs
    .filter((pair) => !pair.startsWith(' ') && !pair.endsWith(' '))
    .map((pair) => pair.replace(' ', ''))
    .filter((each) => !exactly || corpus.words.count(each, sight) > 0)
  const spelt = found.flatMap((each) => [termOf(each), ...[...otherSpellingsOf(wordOf(each).sound)].map(termOf)])
  // A joined word that folds like one of its parts joins nothing: "pashupatinath t" is no other name.
  const apart = spelt.filter((each) => each !== all[at - 1]?.term && each !== all[at]?.term)
  return visibleTerms(corpus, new Set(apart), sight).map((each) => ({ terms: [each], fit: 0.9 }))
}

/** One word that documents write as two: "mayadevi" for Maya Devi. */
export function splitChoices(corpus: Corpus, { raw }: Word, sight: Sight): Choice[] {
  if (raw.length < 5) return []
  const known = (term: string) => corpus.terms.count(term, sight) > 0
  const spelt = (term: string) => (known(term) ? term : [...otherSpellingsOf(term)].map(termOf).find(known))
  return Array.from({ length: raw.length - 3 }, (_, i) => i + 2).flatMap((at) => {
    const first = spelt(termOf(raw.slice(0, at)))
    const second = first === undefined ? undefined : spelt(termOf(raw.slice(at)))
    return first === undefined || second === undefined ? [] : [{ terms: [first, second], fit: 0.85 }]
  })
}

/** Terms of documents that the caller may see. Hidden ones must not even crowd others out. */
export const visibleTerms = (corpus: Corpus, found: Iterable<string>, sight: Sight): string[] =>
  [...found].filter((each) => corpus.terms.count(each, sight) > 0)
