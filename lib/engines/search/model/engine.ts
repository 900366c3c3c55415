import type { Weights } from '../../../base/config.ts'
import { tallyFor } from '../index/columns.ts'
import type { Hit, MapResult, Model, SearchQuery, SearchResult, SuggestQuery } from '../query.ts'
import { clusterPoints } from './clusters.ts'
import type { Corpus } from './corpus.ts'
import { countFacets } from './facets.ts'
import { type Filters, isNarrowed, makeFilter } from './filters.ts'
import { explainAnswer, hitMaker, makeHit, makeHits } from './hits.ts'
import { findLiteral } from './literal.ts'
import { anyTells, countsInText, isWritten, lookUpExactly, tellingShare } from './lookup.ts'
import { type Matches, matchDocuments, truncateMatches } from './match.ts'
import { knownShare, lookUpNearly } from './near.ts'
import { addLinks, findConcepts, parseQuestion, type QueryWord } from './question.ts'
import { MOST_COMPARED, type QuestionMatches, rankByRelevance } from './rank.ts'
import { sortByColumn } from './sort.ts'

/** Makes the model that searches a corpus. `state` is called for each answer, since the corpus follows the change log. */
export function createModel(corpus: Corpus, weights: Weights, state: () => string): Model {
  return {
    search: async (query) => search(corpus, weights, query, state()),
    map: async (query) => mapPoints(corpus, weights, query, state()),
    suggest: async (query) => suggest(corpus, weights, query),
    literal: async (query) => findLiteral(corpus, query, makeFilter(corpus, query)),
    document: async (id, scope) => {
      const number = corpus.find(id)
      return number !== undefined && makeFilter(corpus, { scope })(number) ? makeHit(corpus, number, 0) : undefined
    },
    get state() {
      return state()
    },
  }
}

function search(corpus: Corpus, weights: Weights, query: SearchQuery, state: string): SearchResult {
  const { offset = 0, limit } = query
  const { matches, ranking } = answerQuestion(corpus, weights, query, offset + limit)
  const order = ranking ?? sortByColumn(corpus, query, matches.numbers, offset + limit)
  const page = order.slice(offset, offset + limit)
  return {
    count: matches.numbers.length,
    hits: makeHits(corpus, query, matches, page),
    ...(query.facets && { facets: countFacets(corpus, matches.numbers, query) }),
    ...explainAnswer(corpus, query, matches, page),
    state,
  }
}

/** At this likeness or more, the question is the name of a document. Then its words are not read as concepts. */
const NAME_LIKENESS = 0.8

/**
 * Finds the documents that match a question, and ranks them if the order is relevance:
 *
 * 1. The question may be a name: its words are matched as they are.
 * 2. It may contain the name of a record ("festivals of Patan"): documents that link to that record match.
 * 3. If no document has this name, words are read as concepts: "temples" is a sort of record, "Patan" a place.
 *
 * The choice depends on the question and the documents, not on the page. So all pages agree.
 */
function answerQuestion(corpus: Corpus, weights: Weights, query: SearchQuery, size: number) {
  const rank = (matches: QuestionMatches) => rankByRelevance(corpus, weights, query.text, matches, size)
  const isRanked = (matches: QuestionMatches) =>
    matches.queryWords.length > 0 && (query.sort ?? 'relevance') === 'relevance'
  const tally = tallyFor(query.scope)
  const words = parseQuestion(corpus, query.text, tally)
  const asName = findMatches(corpus, { ...query, literal: true }, words)
  if (query.literal || asName.queryWords.length === 0)
    return { matches: asName, ranking: isRanked(asName) ? rank(asName) : undefined }
  const rankedNames = rank(asName)
  // A filter may drop the record that others link to: a deity is not a temple. So names are compared without filters.
  const unfiltered = { text: query.text, scope: query.scope, literal: true }
  const named = isNarrowed(corpus, query) ? rank(findMatches(corpus, unfiltered, words)) : rankedNames
  const linked = addLinks(corpus, words, named.map(({ number }) => number).slice(0, MOST_COMPARED), tally)
  const isName = rankedNames.some(({ likeness }) => likeness >= NAME_LIKENESS)
  const hasConcepts = !isName && findConcepts(corpus, words, tally).concepts.length > 0
  const matches =
    hasConcepts || linked !== words ? findMatches(corpus, { ...query, literal: !hasConcepts }, linked) : asName
  return { matches, ranking: isRanked(matches) ? (matches === asName ? rankedNames : rank(matches)) : undefined }
}

/** The most points of an answer. Beyond, the answer has clusters instead. */
const MOST_POINTS = 5000

function mapPoints(corpus: Corpus, weights: Weights, query: SearchQuery, state: string): MapResult {
  const { lat } = corpus.columns
  const { numbers } = answerQuestion(corpus, weights, query, 0).matches
  const withPlace = numbers.filter((number) => !Number.isNaN(lat[number]))
  const areFew = withPlace.length <= MOST_POINTS
  const hitAt = hitMaker(corpus, query)
  return {
    count: numbers.length,
    points: areFew ? Array.from(withPlace, (number) => hitAt(number)) : [],
    clusters: areFew ? [] : clusterPoints(corpus.columns, withPlace),
    state,
  }
}

/** A completion has a name of at least this likeness. A document with less only mentions the text. */
const COMPLETION_LIKENESS = 0.4

function suggest(corpus: Corpus, weights: Weights, query: SuggestQuery): Hit[] {
  const isShort = query.text.trim().length < 3
  const words = parseQuestion(corpus, query.text, tallyFor(query.scope))
  const matches = findMatches(corpus, query, words, isShort ? 'prefix' : 'like')
  if (matches.queryWords.length === 0) return []
  return rankByRelevance(corpus, weights, query.text, matches, query.limit)
    .filter(({ likeness }) => likeness >= COMPLETION_LIKENESS)
    .slice(0, query.limit)
    .map(({ number, score }) => makeHit(corpus, number, score))
}

/** If fewer documents contain the whole question, near spellings and documents that lack a word are added. */
const ENOUGH_MATCHES = 10
/** The share of a question's weight that a document must contain to match. */
const LEAST_SHARE = 0.45
/** The same share if at least `SEVERAL_NAMES` documents contain all words in their names. */
const LEAST_SHARE_AFTER_NAMES = 0.6
/** From this number of documents on, a document that lacks a word must contain a larger share. */
const SEVERAL_NAMES = 3
/** The share for a question of more than four words. */
const LEAST_SHARE_OF_MANY = 0.2
/** If documents contain a smaller share of the question, nothing is found: one word of three may be in any name. */
const LEAST_KNOWN_SHARE = 0.34
/** A document that lacks a word must have this score. A name reaches it, a mention in passing does not. */
const LEAST_SCORE = 0.15
/** A document with all words in its names scores at least this. */
const NAME_SCORE = 0.3

type Question = Filters & { text: string; literal?: boolean | undefined }

/**
 * Finds the documents that pass the filters and match the text, whose words are `words`. With `prefix`, only words and their completions
 * match, no near spellings.
 */
function findMatches(
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
    question.literal || how === 'prefix' ? { words, concepts: [] } : findConcepts(corpus, words, tally)

  const written = lookUpExactly(corpus, markedWords, tally)
  const exact = matchDocuments(corpus, written, tellingShare(written), admits)
  const whole = anyTells(markedWords) ? exact : dropPassingMentions(exact, new Set())
  if ((whole.numbers.length >= ENOUGH_MATCHES && written.every(isWritten)) || how === 'prefix')
    return { ...whole, queryWords: written, concepts }

  const queryWords = lookUpNearly(corpus, written, tally, question.literal)
  if (knownShare(queryWords) < LEAST_KNOWN_SHARE) return { ...noMatches(), queryWords, concepts }
  const named = new Set(whole.numbers.filter((_, i) => (whole.scores[i] ?? 0) >= NAME_SCORE))
  const count = queryWords.filter(countsInText).length
  const least = named.size >= SEVERAL_NAMES ? LEAST_SHARE_AFTER_NAMES : count > 4 ? LEAST_SHARE_OF_MANY : LEAST_SHARE
  const near = matchDocuments(corpus, queryWords, least, admits)
  const matches = count > 4 ? near : dropPassingMentions(near, new Set(whole.numbers))
  if (matches.numbers.length > 0 || markedWords.length < 3 || queryWords.filter(isWritten).length < 2)
    return { ...matches, queryWords, concepts, named }
  // If documents contain two words of a question of three or more, a document with any one of its words matches.
  return { ...matchDocuments(corpus, queryWords, LEAST_SHARE_OF_MANY / 4, admits), queryWords, concepts, named }
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

const noMatches = (): Matches => withoutScores(new Uint32Array())
const withoutScores = (numbers: Uint32Array): Matches => ({
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
