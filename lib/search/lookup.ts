import { edits } from '../domain/edits.ts'
import { genericWords, sortWords } from '../domain/fold.ts'
import type { Sight } from './columns.ts'
import type { Corpus, Words } from './corpus.ts'
import { gramsOf, tellingPiecesOf } from './grams.ts'
import { synonymsOf } from './synonyms.ts'
import { termOf, type Word, wordsOf } from './words.ts'

/** A way in which a word that was asked for may stand in a document: one term, or several that must all be there. */
export type Choice = { terms: readonly string[]; fit: number }
/** A word that was asked for, how much it tells, and its choices, the best first. */
export type Wanted = Word & { weight: number; choices: readonly Choice[]; unfinished: boolean }

/** More words make no better question. */
const MOST_WORDS = 12
/** So many completions of an unfinished word are looked at, and so many near spellings of a word. */
const MOST_COMPLETIONS = 400
const MOST_NEAR = 24

/** The words of a question. The last one counts as unfinished unless something follows it. */
export function questionOf(text: string): { words: Word[]; unfinished: boolean } {
  const seen = new Set<string>()
  const words = wordsOf(text.slice(0, 300)).filter(({ raw }) => !seen.has(raw) && seen.add(raw))
  return {
    words: words.slice(0, MOST_WORDS),
    unfinished: words.length <= MOST_WORDS && /[\p{L}\p{N}\p{M}]$/u.test(text),
  }
}

/** What stands in documents for the words as they were written; the unfinished last one also for what begins with it. */
export function asWritten(corpus: Corpus, words: readonly Word[], unfinished: boolean, sight: Sight): Wanted[] {
  return words.map((word, i) => {
    const last = unfinished && i === words.length - 1
    return wanted(corpus, word, last, [
      ...exact(corpus, word, sight),
      ...(last ? completions(corpus, word, sight) : []),
    ])
  })
}

/** The same, and what is spelt nearly so, holds it, means the same, or is written together or apart. */
export function orNearly(corpus: Corpus, written: readonly Wanted[], sight: Sight): Wanted[] {
  return written.map((it, i) =>
    wanted(corpus, it, it.unfinished, [
      ...it.choices,
      ...joined(corpus, written, i, sight),
      ...split(corpus, it, sight),
      ...near(corpus, it, sight),
      ...holding(corpus, it, sight),
      ...meaning(corpus, it, sight),
    ]),
  )
}

/** Each term once, by its best fit, so that no document is counted twice for one word. */
function wanted(corpus: Corpus, { raw, term }: Word, unfinished: boolean, choices: readonly Choice[]): Wanted {
  const sorted = [...choices].sort((a, b) => b.fit - a.fit || (a.terms.join() < b.terms.join() ? -1 : 1))
  const best = new Map<string, Choice>()
  for (const choice of sorted) if (!best.has(choice.terms.join(' '))) best.set(choice.terms.join(' '), choice)
  return { raw, term, unfinished, weight: weightOf(corpus, term, [...best.values()]), choices: [...best.values()] }
}

/**
 * How much it tells that a document holds a word: the rarer, the more; less where the word only says what sort of thing it
 * is. A word that no document holds tells as much as its nearest spelling, or as a middling word.
 */
function weightOf(corpus: Corpus, term: string, choices: readonly Choice[]): number {
  const from = corpus.terms.count(term, 'anon') > 0 ? term : (choices[0]?.terms[0] ?? '')
  const count = corpus.terms.count(from, 'anon')
  const rarity = Math.log(1 + corpus.anonymous / (count > 0 ? count : Math.sqrt(corpus.anonymous + 1)))
  return (rarity + 0.1) * (sortWords.has(from) ? 0.4 : genericWords.has(from) ? 0.8 : 1)
}

const exact = ({ terms }: Corpus, { term }: Word, sight: Sight): Choice[] =>
  terms.count(term, sight) > 0 ? [{ terms: [term], fit: 1 }] : []

function completions(corpus: Corpus, { raw, term }: Word, sight: Sight): Choice[] {
  const found = new Set([
    ...corpus.terms.beginning(term, MOST_COMPLETIONS, sight),
    ...corpus.words.beginning(raw, MOST_COMPLETIONS, sight).map(termOf),
  ])
  return seen(corpus, found, sight).map((each) => ({
    terms: [each],
    fit: 0.7 + (0.25 * Math.min(term.length, each.length)) / each.length,
  }))
}

/** How many edits make another word of one of so many letters: none of two, one of up to seven, two of more. */
const mostEdits = (letters: number) => (letters < 3 ? 0 : letters < 8 ? 1 : 2)

/** Words that are spelt nearly so. Slips happen to the word as it was written; other spellings of a name show in its term. */
function near(corpus: Corpus, { raw, term }: Word, sight: Sight): Choice[] {
  const close = (found: Iterable<string>, to: string) =>
    [...found].flatMap((each) => {
      const apart = Math.abs(each.length - to.length) > 2 ? 9 : edits(to, each)
      const fit = 0.9 * (1 - apart / Math.max(to.length, each.length)) ** 2
      return each !== to && apart <= mostEdits(to.length) ? [{ terms: [termOf(each)], fit }] : []
    })
  return [
    ...close(spelledLike(corpus.words, raw, sight), raw),
    ...(term.length > 3 ? close(spelledLike(corpus.terms, term, sight), term) : []),
  ]
    .filter(({ terms: [each] }) => each !== term && corpus.terms.count(each ?? '', sight) > 0)
    .sort((a, b) => b.fit - a.fit || ((a.terms[0] ?? '') < (b.terms[0] ?? '') ? -1 : 1))
    .slice(0, MOST_NEAR)
}

/** Candidates from a vocabulary. Short words have too few pieces in common: their neighbours are spelt out instead. */
function spelledLike(words: Words, text: string, sight: Sight): Set<string> {
  const most = mostEdits(text.length)
  if (most === 0) return new Set()
  const spelt = (each: string) => words.count(each, sight) > 0
  if (text.length <= 4) return new Set([...neighbours(text)].filter(spelt))
  const grams = gramsOf(text)
  const least = Math.max(2, grams.length - 3 * most)
  return new Set([...[...swaps(text)].filter(spelt), ...words.sharing(grams, least, 300, sight)])
}

/** Words that hold the letters somewhere within. */
function holding(corpus: Corpus, { raw, term }: Word, sight: Sight): Choice[] {
  if (raw.length < 4) return []
  const pieces = tellingPiecesOf(raw)
  const found = corpus.words
    .sharing(pieces, pieces.length, MOST_COMPLETIONS, sight)
    .filter((each) => each.includes(raw))
  return seen(corpus, new Set(found.map(termOf)), sight)
    .filter((each) => each !== term)
    .map((each) => ({ terms: [each], fit: 0.3 + 0.4 * Math.min(1, raw.length / each.length) }))
}

function meaning(corpus: Corpus, { term }: Word, sight: Sight): Choice[] {
  return seen(corpus, synonymsOf(term), sight).map((each) => ({ terms: [each], fit: 0.5 }))
}

/** Two words that are one in documents: "maya devi" for Mayadevi. Either of them stands for both. */
function joined(corpus: Corpus, all: readonly Word[], at: number, sight: Sight): Choice[] {
  const pairs = [`${all[at - 1]?.raw ?? ''} ${all[at]?.raw}`, `${all[at]?.raw} ${all[at + 1]?.raw ?? ''}`]
  const found = pairs
    .filter((pair) => !pair.startsWith(' ') && !pair.endsWith(' '))
    .map((pair) => pair.replace(' ', ''))
  return seen(corpus, new Set(found.map(termOf)), sight).map((each) => ({ terms: [each], fit: 0.9 }))
}

/** One word that is two in documents: "mayadevi" for Maya Devi. */
function split(corpus: Corpus, { raw }: Word, sight: Sight): Choice[] {
  if (raw.length < 5) return []
  return Array.from({ length: raw.length - 3 }, (_, i) => [raw.slice(0, i + 2), raw.slice(i + 2)].map(termOf)).flatMap(
    (terms) => (terms.every((term) => corpus.terms.count(term, sight) > 0) ? [{ terms, fit: 0.85 }] : []),
  )
}

/** Only words of documents that the caller may see: others must not even crowd them out. */
const seen = (corpus: Corpus, found: Iterable<string>, sight: Sight): string[] =>
  [...found].filter((each) => corpus.terms.count(each, sight) > 0)

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

/** Every text with two neighbours the other way round: these share few pieces with it. */
function* swaps(term: string): Iterable<string> {
  for (let i = 1; i < term.length; i += 1) yield term.slice(0, i - 1) + term[i] + term[i - 1] + term.slice(i + 1)
}
