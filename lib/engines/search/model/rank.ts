import { clock } from '../../../base/clock.ts'
import type { Weights } from '../../../base/config.ts'
import { impactOf } from '../index/codec.ts'
import { TAGGED } from '../index/contents.ts'
import { CERTAINTY, type Mention, nearbyTags, tagOf } from '../index/tags.ts'
import type { Corpus } from './corpus.ts'
import { nameLikeness, type WordFits } from './likeness.ts'
import type { WeightedWord } from './lookup.ts'
import { countsInText } from './lookup.ts'
import type { Matches } from './match.ts'
import { compareScores, type RankedDocument, selectTop } from './sort.ts'

/**
 * The matches of a question, with its words. `named` contains the documents with all words in their names, if documents that lack a word
 * match, too.
 */
export type QuestionMatches = Matches & {
  queryWords: readonly WeightedWord[]
  concepts: readonly Mention[]
  /** The share of the question's weight that a document must contain. */
  least?: number
  named?: ReadonlySet<number>
}

/** The number of best documents whose names are compared with the question. The other documents are ranked by words alone. */
export const MOST_COMPARED = 64
/** The factor for a document that lacks a word in its names, if other documents have all words in theirs. */
const NOT_NAMED = 0.85
/** The factor for a document that contains no word of a question with concepts. */
const NO_WORD = 0.4
/** The factor for a document that is not of the sort for which the question asks. */
const OTHER_SORT = 0.6
/** The factor for a document that is the cause of the state for which the question asks. */
const OF_CAUSE = 0.3
/** The factor for a document that is not at the place that the question names. */
const OTHER_PLACE = 0.6
/** The share of the score by text (BM25) in the score, by the number of telling words. One or two words are a name, many are a question. */
const TEXT_SHARES = [0, 0.1, 0.1, 0.25, 0.4, 0.7, 0.8]
/** How much of the score by name comes from the words that the names contain. */
const WORD_SHARE = 0.4
/** How much of the score by name comes from the likeness of the best name. */
const LIKENESS_SHARE = 0.6
/** The score of a name that consists of one word of the question. */
const FULL_SCORE = 0.7
const DAY_MS = 86_400_000

/** The share of the score by text (BM25) in the score of a question of these words. */
export function textShareOf(queryWords: readonly WeightedWord[]): number {
  const count = queryWords.filter(countsInText).length
  return TEXT_SHARES[Math.min(count, TEXT_SHARES.length - 1)] ?? 0
}
/** The factor of the weight of names in the score of a document, before its names are compared. */
export const NAME_FACTOR = WORD_SHARE / FULL_SCORE

/**
 * Ranks documents by text, recency and popularity. It ranks all documents by their words, then compares the names of the best documents.
 * `fits`: the fits of the question's words, if an earlier pass has computed them.
 */
export function rankByRelevance(
  corpus: Corpus,
  weights: Weights,
  text: string,
  matches: QuestionMatches,
  size: number,
  fits?: WordFits,
): RankedDocument[] {
  const { numbers, scores, texts, queryWords } = matches
  const byText = textShareOf(queryWords)
  const byName = 1 - byText
  const factorOf = questionFactor(matches)
  const extraScore = recencyAndPopularity(corpus, weights)
  const order = new Float64Array(numbers.length)
  const places = new Uint32Array(numbers.length)
  const nameScore = (i: number) => byName * WORD_SHARE * Math.min(1, (scores[i] ?? 0) / FULL_SCORE)
  for (let i = 0; i < numbers.length; i += 1) {
    places[i] = i
    const textScore = nameScore(i) + byText * (texts[i] ?? 0)
    order[i] = weights.text * factorOf(i, 0) * textScore + extraScore(numbers[i] ?? 0)
  }
  const ties = corpus.columns.order
  const isBefore = (a: number, b: number) => {
    const [x, y] = [order[a] ?? 0, order[b] ?? 0]
    return x === y ? (ties[numbers[a] ?? 0] ?? 0) < (ties[numbers[b] ?? 0] ?? 0) : x > y
  }
  const likenessOf = nameLikeness(queryWords, text, fits)
  const bySort = sortFactor(corpus, matches)
  return selectTop(places, Math.max(MOST_COMPARED, size), isBefore)
    .map((place, i) => {
      const number = numbers[place] ?? 0
      if (i >= MOST_COMPARED) return { number, likeness: 0, score: order[place] ?? 0 }
      const likeness = likenessOf(corpus.names(number))
      // Even a long question may be a name. The more like a name it is, the more the likeness replaces the score by text.
      const isName = Math.min(1, Math.max(0, (likeness - 0.6) / 0.3))
      const byNames = nameScore(place) + (byName + byText * isName) * LIKENESS_SHARE * likeness
      const byTexts = byText * (1 - LIKENESS_SHARE * isName) * (texts[place] ?? 0)
      const score = bySort(number, isName === 1) * factorOf(place, isName) * (byNames + byTexts)
      return { number, likeness, score: weights.text * score + extraScore(number) }
    })
    .sort(compareScores(corpus))
}

/** Makes a function that scores how new and how popular a document is. */
function recencyAndPopularity({ columns: { updated, popularity } }: Corpus, weights: Weights) {
  const now = clock.now().getTime()
  return (number: number): number => {
    const age = Math.max(0, (now - (updated[number] ?? 0)) / DAY_MS)
    const count = popularity[number] ?? 0
    return weights.recency / (1 + age) + (weights.popularity * count) / (count + 10)
  }
}

/**
 * Makes a function that returns the factor of a document's text score, by the share of the question that it contains. `isName` is 1 if the
 * question is a name of the document: then the factor is not lowered.
 */
function questionFactor({ numbers, held, queryWords, concepts, named }: QuestionMatches) {
  const telling = queryWords.reduce((bits, it, i) => (countsInText(it) ? bits | (1 << i) : bits), 0)
  const all = bitsIn(telling)
  const places = placeBits(queryWords, concepts)
  const hasNamed = named !== undefined && named.size > 0
  return (i: number, isName: number): number => {
    const byNames = hasNamed && !named.has(numbers[i] ?? 0) ? NOT_NAMED : 1
    if (concepts.length === 0 || all === 0) return byNames
    const byPlace = places !== 0 && ((held[i] ?? 0) & places) === 0 ? OTHER_PLACE : 1
    const byWords = byPlace * (NO_WORD + ((1 - NO_WORD) * bitsIn((held[i] ?? 0) & telling)) / all)
    return byNames * (isName + (1 - isName) * byWords)
  }
}

/** The least impact of a tag that shows a document's sort. Tags of its name, its type and the opening of its summary have it. */
const OF_SORT = Math.floor(TAGGED * CERTAINTY.opening * 255)

/** The least impact of a tag that a name gives. */
const OF_NAMED_SORT = Math.floor(TAGGED * CERTAINTY.name * 255)

/**
 * Makes a function that returns the factor of a document's score by its sort. It is lower for another sort than the one asked for in the
 * plural: "tanks of the Nayaks" asks for no king. It is 1 if the question names a second sort, or has words that are no concept. It is
 * lowest for a cause: what an earthquake damaged is no earthquake.
 */
function sortFactor(corpus: Corpus, matches: QuestionMatches): (number: number, isName: boolean) => number {
  const lists = causesIn(matches.concepts).flatMap(({ concept }) => corpus.postings(tagOf(concept)))
  const isOfSort = sortTest(corpus, matches)
  return (number, isName) => {
    if (lists.some((list) => impactOf(list, number) >= OF_NAMED_SORT)) return OF_CAUSE
    return isName || isOfSort(number) ? 1 : OTHER_SORT
  }
}

function sortTest(corpus: Corpus, { queryWords, concepts }: QuestionMatches): (number: number) => boolean {
  const causes = causesIn(concepts)
  const sorts = concepts.filter((it) => it.concept.as === 'sort' && !causes.includes(it))
  const [asked] = sorts
  const isConcept = (at: number) => concepts.some(({ from, to }) => from <= at && at <= to)
  const isAll = queryWords.every((word, at) => isConcept(at) || !countsInText(word))
  if (!asked || sorts.length > 1 || !isAll || !isSeveral(asked, queryWords)) return () => true
  const lists = [tagOf(asked.concept), ...nearbyTags(asked.concept)].flatMap((tag) => corpus.postings(tag))
  const called = queryWords[asked.to]?.term
  return (number) =>
    lists.some((list) => impactOf(list, number) >= OF_SORT) ||
    corpus.names(number).some(({ words }) => words.some(({ term }) => term === called))
}

/** The sorts of events that brought about the state for which the question asks. */
const causesIn = (concepts: readonly Mention[]): Mention[] =>
  concepts.some(({ concept }) => concept.as === 'state') ? concepts.filter(({ concept }) => concept.isCause) : []

/** Whether a concept is a sort of thing in the plural. */
const isSeveral = ({ concept, to }: Mention, queryWords: readonly WeightedWord[]): boolean =>
  concept.as === 'sort' && isPlural(queryWords[to])

/**
 * The words that name a place in a question for several records, one bit each: "temples in Patan". Zero for a question without a plural
 * sort. Next to a name, a town only distinguishes records of the same name.
 */
const placeBits = (queryWords: readonly WeightedWord[], concepts: readonly Mention[]): number =>
  concepts.some((it) => isSeveral(it, queryWords))
    ? concepts.reduce((bits, { concept, from }) => (concept.as === 'place' ? bits | (1 << from) : bits), 0)
    : 0

const isPlural = (word: WeightedWord | undefined): boolean =>
  word !== undefined && (word.whole !== undefined || word.sound !== word.term)

/** The number of set bits. */
export function bitsIn(bits: number): number {
  let count = 0
  for (let left = bits; left !== 0; left &= left - 1) count += 1
  return count
}
