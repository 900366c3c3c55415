import { eachPosting } from '../index/codec.ts'
import { tallyFor } from '../index/columns.ts'
import type { FindNamed } from '../index/tags.ts'
import { splitWords } from '../index/words.ts'
import type { SearchQuery } from '../query.ts'
import { loadedVocabulary } from '../vocabulary.ts'
import type { Corpus } from './corpus.ts'
import { type Filters, makeFilter } from './filters.ts'
import { anyTells, countsInText, isWritten, lookUpExactly, tellingShare, type WeightedWord } from './lookup.ts'
import { type Matches, matchDocuments, truncateMatches } from './match.ts'
import { knownShare, lookUpNearly } from './near.ts'
import { findConcepts, type QueryWord } from './question.ts'
import { bitsIn, type QuestionMatches } from './rank.ts'

/** If fewer documents contain the whole question, near spellings and documents that lack a word are added. */
const ENOUGH_MATCHES = 10
/** If fewer documents contain the whole question, documents that lack one word match even if they mention the others only in passing. */
const FEW_MATCHES = 5
/** The share of a question's weight that a document must contain to match. */
const LEAST_SHARE = 0.45
/** The same share if at least `SEVERAL_NAMES` documents contain all words in their names. */
const LEAST_SHARE_AFTER_NAMES = 0.6
/** If this many documents contain all words in their names, a document that lacks a word must contain a larger share. */
const SEVERAL_NAMES = 3
/** The share for a question of more than four words. */
const LEAST_SHARE_OF_MANY = 0.2
/** If documents contain a smaller share of the question, nothing is found: one word of three may be in any name. */
const LEAST_KNOWN_SHARE = 0.34
/** A document that lacks a word must have this score. A name reaches it, a mention in passing does not. */
const LEAST_SCORE = 0.15
/** A document with all words in its names scores at least this. */
const NAME_SCORE = 0.3

/** A text with the filters that its documents must pass. */
export type Question = Filters &
  Pick<SearchQuery, 'text' | 'literal' | 'without'> & { findNamed?: FindNamed | undefined }

/**
 * Finds the documents that pass the filters and match the text, whose words are `words`. With `prefix`, only words and their completions
 * match, no near spellings.
 */
export function findMatches(
  corpus: Corpus,
  question: Question,
  words: readonly QueryWord[],
  how: 'prefix' | 'like' = 'like',
): QuestionMatches {
  const admits = makeFilter(corpus, question)
  if (question.text.trim() === '') return { ...allMatches(corpus, admits), queryWords: [], concepts: [] }
  if (words.length === 0) return { ...noMatches(), queryWords: [], concepts: [] }
  const tally = tallyFor(question.scope)
  const { words: markedWords, concepts } =
    question.literal || how === 'prefix' ? { words, concepts: [] } : findConcepts(corpus, words, question)

  const written = lookUpExactly(corpus, markedWords, tally)
  const exact = matchDocuments(corpus, written, tellingShare(written), admits)
  const whole = anyTells(markedWords) ? exact : dropPassingMentions(exact, new Set())
  if ((whole.numbers.length >= ENOUGH_MATCHES && written.every(isWritten)) || how === 'prefix')
    return { ...whole, queryWords: written, concepts, least: tellingShare(written) }

  const queryWords = lookUpNearly(corpus, written, tally, question.literal)
  if (knownShare(queryWords) < LEAST_KNOWN_SHARE) return { ...noMatches(), queryWords, concepts }
  const named = new Set(whole.numbers.filter((_, i) => (whole.scores[i] ?? 0) >= NAME_SCORE))
  const count = queryWords.filter(countsInText).length
  const least = named.size >= SEVERAL_NAMES ? LEAST_SHARE_AFTER_NAMES : count > 4 ? LEAST_SHARE_OF_MANY : LEAST_SHARE
  const besides = holdingAllWritten(corpus, written, admits)
  const enough = besides.length > 0 ? Math.min(least, writtenShare(queryWords)) : least
  const near = matchDocuments(corpus, queryWords, enough, admits)
  const isAny = whole.numbers.length + besides.length > 0
  const nearly = isAny && whole.numbers.length < FEW_MATCHES ? lackingOneWord(near, queryWords) : []
  const matches = count > 4 ? near : dropPassingMentions(near, new Set([...whole.numbers, ...besides, ...nearly]))
  if (matches.numbers.length > 0 || markedWords.length < 3 || queryWords.filter(isWritten).length < 2)
    return { ...matches, queryWords, concepts, named, least }
  // If documents contain two words of a question of three or more, a document with any one of its words matches.
  const any = LEAST_SHARE_OF_MANY / 4
  return { ...matchDocuments(corpus, queryWords, any, admits), queryWords, concepts, named, least: any }
}

/**
 * The documents that lack at most one known telling word of a question. Empty if fewer than `LEAST_TO_LACK` such words are known, or two or
 * more are unknown.
 */
function lackingOneWord({ numbers, held }: Matches, words: readonly WeightedWord[]): number[] {
  const bitsOf = (fits: (word: WeightedWord) => boolean) =>
    words.reduce((bits, it, i) => (fits(it) ? bits | (1 << i) : bits), 0)
  const known = bitsOf(isWrittenAndTells)
  const count = bitsIn(known)
  if (count < LEAST_TO_LACK || bitsIn(bitsOf(countsInText)) - count > 1) return []
  return [...numbers].filter((_, i) => bitsIn((held[i] ?? 0) & known) >= count - 1)
}
/** A document may lack one known telling word only if the question has at least this many known ones. */
const LEAST_TO_LACK = 3

/** If no document holds some word of a question: the documents that hold all its other words. Empty if fewer than two words are left. */
function holdingAllWritten(
  corpus: Corpus,
  words: readonly WeightedWord[],
  admits: (number: number) => boolean,
): ArrayLike<number> & Iterable<number> {
  const known = words.filter(isWrittenAndTells)
  return known.length < 2 || words.every(isWritten) ? [] : matchDocuments(corpus, known, 1, admits).numbers
}
const isWrittenAndTells = (word: WeightedWord): boolean => countsInText(word) && isWritten(word)

/** The share of the weight of a question that its written words have. */
function writtenShare(words: readonly WeightedWord[]): number {
  const weightOf = (some: readonly WeightedWord[]) => some.reduce((sum, { weight }) => sum + weight, 0)
  return weightOf(words.filter(isWrittenAndTells)) / weightOf(words)
}

/** Drops documents with a low score, except the documents of `whole`, which contain the whole question. */
function dropPassingMentions(matches: Matches, whole: ReadonlySet<number>): Matches {
  const { numbers, scores, texts, held } = matches
  let size = 0
  for (let i = 0; i < numbers.length; i += 1) {
    const number = numbers[i] ?? 0
    if ((scores[i] ?? 0) < LEAST_SCORE && !whole.has(number)) continue
    numbers[size] = number
    texts[size] = texts[i] ?? 0
    held[size] = held[i] ?? 0
    scores[size++] = scores[i] ?? 0
  }
  return truncateMatches(matches, size)
}

export const noMatches = (): Matches => withoutScores(new Uint32Array())
/** These documents, without scores. */
export const withoutScores = (numbers: Uint32Array): Matches => ({
  numbers,
  scores: new Float32Array(numbers.length),
  texts: new Float32Array(numbers.length),
  held: new Uint32Array(numbers.length),
})

function allMatches({ columns }: Corpus, admits: (number: number) => boolean): Matches {
  const numbers = new Uint32Array(columns.size)
  let count = 0
  for (let number = 0; number < columns.size; number += 1) if (admits(number)) numbers[count++] = number
  return withoutScores(numbers.subarray(0, count))
}

/** Finds the documents that hold the whole text: every word of it as written, or its concept. With `literal` only words count. */
export function findWhole(
  corpus: Corpus,
  question: Question,
  words: readonly QueryWord[],
): Pick<QuestionMatches, 'numbers' | 'concepts'> {
  const tally = tallyFor(question.scope)
  const { words: markedWords, concepts } = question.literal
    ? { words, concepts: [] }
    : findConcepts(corpus, words, question, true)
  const written = lookUpExactly(corpus, markedWords, tally)
  if (!written.some(countsInText)) return { numbers: new Uint32Array(), concepts }
  const { numbers } = matchDocuments(corpus, written, tellingShare(written), makeFilter(corpus, question))
  return { numbers, concepts }
}

/** The share of a document that holds another word of the same meaning, without -est: "long" for "longest". */
const OTHER_SUPERLATIVE = 0.3

/**
 * Finds the documents that hold a superlative, or another word of the same meaning: "largest" for "biggest". The share is 1 for the words
 * as asked and for words in -est, else `OTHER_SUPERLATIVE`.
 */
export function documentsHolding(
  corpus: Corpus,
  typed: readonly string[],
  scope: Filters['scope'],
): Map<number, number> {
  const admits = makeFilter(corpus, { scope })
  const { superlatives = [] } = loadedVocabulary()
  const lastTerm = (words: string) => splitWords(words).at(-1)?.term ?? ''
  const shares = new Map<number, number>()
  for (const asked of typed) {
    const term = lastTerm(asked)
    const group = superlatives.find((words) => words.some((word) => lastTerm(word) === term)) ?? [asked]
    const isPositive = (word: string) => !word.endsWith('est') && lastTerm(word) !== term
    for (const word of group)
      for (const list of corpus.postings(lastTerm(word)))
        eachPosting(list, (number) => {
          const share = isPositive(word) ? OTHER_SUPERLATIVE : 1
          if ((shares.get(number) ?? 0) < share && admits(number)) shares.set(number, share)
        })
  }
  return shares
}
