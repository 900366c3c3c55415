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

/** A model over a corpus. `state` is called for each answer, since the corpus grows with the log. */
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

/** From this likeness on, a name is what the question asks for. Then its words are not taken for concepts. */
const NAMED = 0.8

/**
 * Finds what answers a question, and ranks it if the order is relevance:
 *
 * 1. The question may be a name: its words are looked for as they are.
 * 2. It may contain the name of a record ("festivals of Patan"): documents that link to that record count.
 * 3. If no document is called so, words become concepts: "temples" is a sort of thing, "Patan" a place.
 *
 * The choice depends on the question and the documents, not on the page. So all pages agree.
 */
function answerQuestion(corpus: Corpus, weights: Weights, query: SearchQuery, size: number) {
  const rank = (matches: QuestionMatches) => rankByRelevance(corpus, weights, query.text, matches, size)
  const isRanked = (matches: QuestionMatches) =>
    matches.wanted.length > 0 && (query.sort ?? 'relevance') === 'relevance'
  const tally = tallyFor(query.scope)
  const words = parseQuestion(corpus, query.text, tally)
  const asName = findMatches(corpus, { ...query, literal: true }, words)
  if (query.literal || asName.wanted.length === 0)
    return { matches: asName, ranking: isRanked(asName) ? rank(asName) : undefined }
  const rankedNames = rank(asName)
  // A filter may drop the record that others link to: a deity is no temple. So names are looked for without filters.
  const unfiltered = { text: query.text, scope: query.scope, literal: true }
  const named = isNarrowed(corpus, query) ? rank(findMatches(corpus, unfiltered, words)) : rankedNames
  const linked = addLinks(corpus, words, named.map(({ number }) => number).slice(0, MOST_COMPARED), tally)
  const isName = rankedNames.some(({ likeness }) => likeness >= NAMED)
  const isMeant = !isName && findConcepts(corpus, words, tally).concepts.length > 0
  const matches = isMeant || linked !== words ? findMatches(corpus, { ...query, literal: !isMeant }, linked) : asName
  return { matches, ranking: isRanked(matches) ? (matches === asName ? rankedNames : rank(matches)) : undefined }
}

/** The most points that an answer lists one by one. */
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

/** A name that is less like the text is no completion: the document only mentions the text elsewhere. */
const COMPLETES = 0.4

function suggest(corpus: Corpus, weights: Weights, query: SuggestQuery): Hit[] {
  const isShort = query.text.trim().length < 3
  const words = parseQuestion(corpus, query.text, tallyFor(query.scope))
  const matches = findMatches(corpus, query, words, isShort ? 'prefix' : 'like')
  if (matches.wanted.length === 0) return []
  return rankByRelevance(corpus, weights, query.text, matches, query.limit)
    .filter(({ likeness }) => likeness >= COMPLETES)
    .slice(0, query.limit)
    .map(({ number, score }) => makeHit(corpus, number, score))
}

/** With fewer whole answers than this, near spellings and documents that lack a word are added. */
const ENOUGH = 10
/** The share of a question's weight that a document must hold to be an answer. */
const LEAST = 0.45
/** The same beside at least `FEW` documents that hold all words in their names. */
const LEAST_BESIDE = 0.6
const FEW = 3
/** The same for a question of more than four words. */
const LEAST_OF_MANY = 0.2
/** If documents know a smaller share of the question, nothing is found. One word of three may stand in any name. */
const KNOWN = 0.34
/** A document that lacks a word must score this. A name does, a mention in passing does not. */
const LEAST_SCORE = 0.15
/** A document with all words in its names scores at least this. */
const NAMES = 0.3

type Question = Filters & { text: string; literal?: boolean | undefined }

/**
 * Finds the documents that pass the filters and answer the text, whose words are `words`. With `prefix` only words and
 * their completions count, no near spellings.
 */
function findMatches(
  corpus: Corpus,
  question: Question,
  words: readonly QueryWord[],
  how: 'prefix' | 'like' = 'like',
): QuestionMatches {
  const admits = makeFilter(corpus, question)
  if (question.text.trim() === '') return { ...allMatches(corpus, admits), wanted: [], concepts: [] }
  if (words.length === 0) return { ...noMatches(), wanted: [], concepts: [] }
  const tally = tallyFor(question.scope)
  const { words: asked, concepts } =
    question.literal || how === 'prefix' ? { words, concepts: [] } : findConcepts(corpus, words, tally)

  const written = lookUpExactly(corpus, asked, tally)
  const exact = matchDocuments(corpus, written, tellingShare(written), admits)
  const whole = anyTells(asked) ? exact : dropPassingMentions(exact, new Set())
  if ((whole.numbers.length >= ENOUGH && written.every(isWritten)) || how === 'prefix')
    return { ...whole, wanted: written, concepts }

  const wanted = lookUpNearly(corpus, written, tally, question.literal)
  if (knownShare(wanted) < KNOWN) return { ...noMatches(), wanted, concepts }
  const named = new Set(whole.numbers.filter((_, i) => (whole.scores[i] ?? 0) >= NAMES))
  const count = wanted.filter(countsInText).length
  const least = named.size >= FEW ? LEAST_BESIDE : count > 4 ? LEAST_OF_MANY : LEAST
  const near = matchDocuments(corpus, wanted, least, admits)
  const matches = count > 4 ? near : dropPassingMentions(near, new Set(whole.numbers))
  if (matches.numbers.length > 0 || asked.length < 3 || wanted.filter(isWritten).length < 2)
    return { ...matches, wanted, concepts, named }
  // A question of three words or more, of which two are written somewhere, gets what answers any of them.
  return { ...matchDocuments(corpus, wanted, LEAST_OF_MANY / 4, admits), wanted, concepts, named }
}

/** Drops documents that score little, except those of `whole`, which hold the whole question. */
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
