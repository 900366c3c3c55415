import { edits } from '../../matching/edits.ts'
import type { Sight } from '../index/columns.ts'
import { tellingPiecesOf } from '../index/grams.ts'
import { conceptOf, conceptTerms, nearTo, tagOf } from '../index/tags.ts'
import { ANY, onsetOf, type Voice } from '../index/voice.ts'
import { termOf, towns, type Word, wordOf } from '../index/words.ts'
import { synonymsOf } from '../synonyms.ts'
import type { Corpus } from './corpus.ts'
import type { Asked } from './question.ts'
import { otherSpellingsOf } from './spellings.ts'

/**
 * A way in which a word that was asked for may stand in a document: one term, or several that must all be there, in words of a
 * voice. `adds`: it says something beside what another choice says.
 */
export type Choice = { terms: readonly string[]; fit: number; adds?: boolean; voice?: Voice }

/** A word that was asked for, how much it tells of a name and how rare it is, and its choices, the best first. */
export type Wanted = Asked & {
  weight: number
  rarity: number
  choices: readonly Choice[]
}

/** So many completions of an unfinished word are looked at, and so many near spellings of a word. */
const MOST_COMPLETIONS = 400

/** Whatever is listed under the concept of a word holds the word, be it written there or not. */
export const tagged = (corpus: Corpus, { concept }: Asked, sight: Sight): Choice[] =>
  concept
    ? [
        { terms: [tagOf(concept)], fit: 1.001 },
        ...seen(corpus, nearTo(concept), sight).map((tag) => ({ terms: [tag], fit: 0.6 })),
      ]
    : []

/**
 * A beginning that only sounds like a whole word tells less than the word as it is written, and so does a word that stands
 * nowhere for one that sounds apart: Whels, Bel.
 */
export function exact({ terms }: Corpus, { raw, known, term, begins, concept }: Asked, sight: Sight): Choice[] {
  if (terms.count(term, sight) === 0) return []
  const adds = concept !== undefined
  const heard = { terms: [term], voice: wordOf(raw).voice, fit: begins && !known ? 0.75 : 1, adds }
  return known ? [heard] : [heard, { ...heard, voice: ANY, fit: MISHEARD }]
}

const MISHEARD = 0.5

/** Words that begin with the letters, and those that only begin with their sound. */
export function completions(corpus: Corpus, { term, begins, known }: Asked, sight: Sight): Choice[] {
  if (!begins) return []
  const begun = (each: string, least: number) => least + (0.25 * Math.min(term.length, each.length)) / each.length
  const written = corpus.words.beginning(begins.raw, MOST_COMPLETIONS, sight).map(wordOf)
  const sounding = corpus.terms.beginning(begins.sound, MOST_COMPLETIONS, sight)
  const voice = known ? onsetOf(begins.raw) : ANY
  return [
    ...written.map((each) => ({ terms: [each.term], voice: each.voice, fit: begun(each.term, COMPLETED) })),
    ...sounding.map((each) => ({ terms: [each], voice, fit: begun(each, COMPLETED - 0.25) })),
  ].filter(({ terms: [each = ''] }) => corpus.terms.count(each, sight) > 0)
}

const COMPLETED = 0.7

/** What is linked to a thing of the name holds the name nearly as well as what is called so. */
export const LINKED = 0.9

/** Whether a word, or one that begins with it, stands in documents letter for letter or in another spelling of all of it. */
export const isWritten = ({ choices }: Wanted): boolean => choices.some(({ fit }) => fit >= COMPLETED)

/** The other spellings of a name, and the name with an ending that it may have or lack. */
export function otherwise(corpus: Corpus, { others, ended }: Asked, sight: Sight): Choice[] {
  const fitting = (found: Iterable<string>, fit: number) =>
    seen(corpus, found, sight).map((each) => ({ terms: [each], fit }))
  return [...fitting(new Set([...others].map(termOf)), 0.9), ...fitting(new Set([...ended].map(termOf)), 0.75)]
}

/** Sorts of things, places and times that a word which is written nowhere may mean. */
export const nearConcepts = (it: Wanted): Choice[] =>
  isWritten(it) || it.raw.length < 5
    ? []
    : conceptTerms()
        .filter((term) => Math.abs(term.length - it.term.length) <= 1 && edits(it.term, term, 1) <= 1)
        .map((term) => ({ terms: [term], fit: 0.6 }))

/** Choices, and what they are understood as: a sort of thing may be misspelt, too. */
export const meant = (corpus: Corpus, choices: readonly Choice[], sight: Sight): Choice[] =>
  choices.flatMap((choice) => {
    const concept = conceptOf(choice.terms[0] ?? '')
    const tags = concept ? seen(corpus, [tagOf(concept)], sight) : []
    return [...tags.map((tag) => ({ terms: [tag], fit: choice.fit })), { ...choice, adds: tags.length > 0 }]
  })

/** Words that hold the letters somewhere within. A name that holds those of a town is another place: Dhungepatan. */
export function holding(corpus: Corpus, { raw, term }: Word, sight: Sight): Choice[] {
  if (raw.length < 4 || towns().has(term)) return []
  const pieces = tellingPiecesOf(raw)
  const found = corpus.words
    .sharing(pieces, pieces.length, MOST_COMPLETIONS, sight)
    .filter((each) => each.includes(raw))
  return seen(corpus, new Set(found.map(termOf)), sight)
    .filter((each) => each !== term)
    .map((each) => ({ terms: [each], fit: 0.3 + 0.4 * Math.min(1, raw.length / each.length) }))
}

export function meaning(corpus: Corpus, { term }: Word, sight: Sight): Choice[] {
  return seen(corpus, synonymsOf(term), sight).map((each) => ({ terms: [each], fit: 0.5 }))
}

/** Two words that are one in documents: "maya devi" for Mayadevi. Either of them stands for both. */
export function joined(corpus: Corpus, all: readonly Word[], at: number, sight: Sight, exactly = false): Choice[] {
  const pairs = [`${all[at - 1]?.raw ?? ''} ${all[at]?.raw}`, `${all[at]?.raw} ${all[at + 1]?.raw ?? ''}`]
  const found = pairs
    .filter((pair) => !pair.startsWith(' ') && !pair.endsWith(' '))
    .map((pair) => pair.replace(' ', ''))
    .filter((each) => !exactly || corpus.words.count(each, sight) > 0)
  const spelt = found.flatMap((each) => [termOf(each), ...[...otherSpellingsOf(wordOf(each).sound)].map(termOf)])
  // What folds away at the seam joins nothing: "pashupatinath t" is no Pashupatinath.
  const apart = spelt.filter((each) => each !== all[at - 1]?.term && each !== all[at]?.term)
  return seen(corpus, new Set(apart), sight).map((each) => ({ terms: [each], fit: 0.9 }))
}

/** One word that is two in documents: "mayadevi" for Maya Devi. */
export function split(corpus: Corpus, { raw }: Word, sight: Sight): Choice[] {
  if (raw.length < 5) return []
  const known = (term: string) => corpus.terms.count(term, sight) > 0
  const spelt = (term: string) => (known(term) ? term : [...otherSpellingsOf(term)].map(termOf).find(known))
  return Array.from({ length: raw.length - 3 }, (_, i) => i + 2).flatMap((at) => {
    const first = spelt(termOf(raw.slice(0, at)))
    const second = first === undefined ? undefined : spelt(termOf(raw.slice(at)))
    return first === undefined || second === undefined ? [] : [{ terms: [first, second], fit: 0.85 }]
  })
}

/** Only words of documents that the caller may see: others must not even crowd them out. */
export const seen = (corpus: Corpus, found: Iterable<string>, sight: Sight): string[] =>
  [...found].filter((each) => corpus.terms.count(each, sight) > 0)
