import type { Weights } from '../../../base/config.ts'
import { tallyFor } from '../index/columns.ts'
import { type FindNamed, findMentions } from '../index/tags.ts'
import type { Hit, MapResult, Model, SearchQuery, SearchResult, SuggestQuery } from '../query.ts'
import { findByIdentifier } from '../reading/identifiers.ts'
import { isPartTakenBack, partOf } from '../reading/parts.ts'
import { keysOfMade, type Reading, readQuestion } from '../reading/read.ts'
import { unknownName, withoutUnknown } from '../reading/unknown.ts'
import { arrange, changesOrder, MOST_ARRANGED, withReading } from './arrange.ts'
import { clusterPoints } from './clusters.ts'
import type { Corpus } from './corpus.ts'
import { countFacets } from './facets.ts'
import { type Filters, isNarrowed, makeFilter } from './filters.ts'
import { findMatches, noMatches, withoutScores } from './find.ts'
import { explainAnswer, hitMaker, makeHit, makeHits } from './hits.ts'
import { wordFits } from './likeness.ts'
import { findLiteral } from './literal.ts'
import { countsInText, isWritten, type WeightedWord } from './lookup.ts'
import { meaningOfText, namedFinder } from './named.ts'
import { addLinks, findConcepts, parseQuestion, type QueryWord } from './question.ts'
import { MOST_COMPARED, type QuestionMatches, rankByRelevance } from './rank.ts'
import { completeFew } from './same-thing.ts'
import { type RankedDocument, sortByColumn } from './sort.ts'

/** Makes the model that searches a corpus. `state` is called for each answer, since the corpus follows the change log. */
export function createModel(corpus: Corpus, weights: Weights, state: () => string): Model {
  return {
    search: async (query) => search(corpus, weights, query, state()),
    map: async (query) => mapPoints(corpus, weights, query, state()),
    suggest: async (query) => suggest(corpus, weights, query),
    literal: async (query) => findLiteral(corpus, query, makeFilter(corpus, query)),
    meanings: async (texts, scope) => texts.map((text) => meaningOfText(corpus, text, scope)),
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
  return showAnswer(corpus, query, answerQuestion(corpus, weights, query, offset + limit), state)
}

/** The page of an answer that a query asks for. */
export function showAnswer(corpus: Corpus, query: SearchQuery, answer: Answer, state: string): SearchResult {
  const { offset = 0, limit } = query
  const { asked, matches, ranking, reading } = answer
  const order = ranking ?? sortByColumn(corpus, asked, matches.numbers, offset + limit)
  const page = order.slice(offset, offset + limit)
  return {
    count: matches.numbers.length,
    hits: makeHits(corpus, asked, matches, page),
    ...(query.facets && { facets: countFacets(corpus, matches.numbers, asked) }),
    ...withReading(explainAnswer(corpus, asked, matches, page), reading),
    state,
  }
}

/** At this likeness or more, the question is the name of a document. Then its words are not read as concepts. */
const NAME_LIKENESS = 0.8

/** A query after its grammar was read: with the text that remains, and with the filters that the grammar adds. */
export type Asked = SearchQuery & Filters & { findNamed?: FindNamed }
export type Answer = {
  asked: Asked
  matches: QuestionMatches
  ranking?: RankedDocument[] | undefined
  reading: Reading
}

/**
 * Answers a question: first by its grammar ("stupas near Patan", "temples not of Durga"), then by its words. A question that is the name of
 * a document has no grammar. If nothing is found, "structures" and "made" are searched as plain words. If still nothing is found, words
 * that no document holds are left out.
 */
export function answerQuestion(corpus: Corpus, weights: Weights, query: SearchQuery, size: number): Answer {
  const isPlain = query.literal || isPartTakenBack(query.without, 'identifier', query.text)
  const identified = isPlain ? noMatches().numbers : findByIdentifier(corpus, query)
  if (identified.length > 0) return answerByIdentifier(query, identified)
  const read = query.literal ? undefined : readQuestion(corpus, query)
  const reading = read && isNameOfDocument(corpus, weights, query) ? undefined : read
  const findNamed = namedFinder(corpus, query.scope)
  const asked: Asked = { ...query, ...(reading && filtersOf(query, reading)), findNamed }
  if (reading?.isHopeless) return answerNothing(asked, reading)
  const rest = reading ?? plainReading(query.text)
  const answer = answerAsked(corpus, weights, asked, rest, size)
  const mayBeUnknown = !query.literal && !isLimited(rest) && answer.matches.queryWords.some(isUnwritten)
  const unknown = mayBeUnknown ? unknownName(corpus, asked, answer.matches.queryWords) : undefined
  if (unknown) return answerNothing(asked, { ...rest, leftOut: [...rest.leftOut, ...unknown], isHopeless: true })
  if (answer.matches.numbers.length > 0 || query.literal) return answer
  // "Fatigue of structures under loading" asks for texts about structures: nothing that was made answers it.
  const made = reading ? keysOfMade(reading).filter((key) => !query.without?.includes(key)) : []
  if (made.length > 0)
    return answerQuestion(corpus, weights, { ...query, without: [...(query.without ?? []), ...made] }, size)
  const known = withoutUnknown(corpus, asked)
  if (!known) return answer
  const { text, leftOut } = known
  return answerAsked(corpus, weights, { ...asked, text }, { ...rest, leftOut: [...rest.leftOut, ...leftOut] }, size)
}

/** Whether no document holds a telling word as it stands. */
const isUnwritten = (word: WeightedWord): boolean => countsInText(word) && !word.concept && !isWritten(word)

/** Whether a question asks for more than its words. */
const isLimited = ({ interpreted, extremes, order }: Reading): boolean =>
  interpreted.length > 0 || extremes.length > 0 || order !== undefined

const answerNothing = (asked: Asked, reading: Reading): Answer => ({
  asked,
  reading,
  matches: { ...noMatches(), queryWords: [], concepts: [] },
})

/** What the words of a question add to the filters of the query. A filter of the query itself goes first. */
const filtersOf = (query: SearchQuery, { text, near, years, also }: Reading) => ({
  text,
  near: query.near ?? near,
  years: query.years ?? years,
  also,
})

/** A question without grammar. */
const plainReading = (text: string): Reading => ({
  text,
  extremes: [],
  interpreted: [],
  leftOut: [],
  isHopeless: false,
})

function answerAsked(corpus: Corpus, weights: Weights, asked: Asked, reading: Reading, size: number): Answer {
  const isArranged = (asked.sort ?? 'relevance') === 'relevance' && changesOrder(reading)
  const { matches, ranking } = answerWords(corpus, weights, asked, isArranged ? MOST_ARRANGED : size)
  if (!isArranged) return { asked, reading, matches, ranking }
  return { asked, reading, matches, ranking: arrange(corpus, asked, reading, matches, ranking) }
}

/** The answer of the documents that carry the question as their identifier. */
const answerByIdentifier = (query: SearchQuery, numbers: Uint32Array): Answer => ({
  asked: query,
  matches: { ...withoutScores(numbers), queryWords: [], concepts: [] },
  ranking: Array.from(numbers, (number) => ({ number, score: 1, likeness: 1 })),
  reading: { ...plainReading(''), interpreted: [partOf('identifier', query.text, query.text)] },
})

/** Whether the whole question is the name of a document. Words such as "near" and "not" may be part of a name. */
function isNameOfDocument(corpus: Corpus, weights: Weights, { text, scope }: SearchQuery): boolean {
  const question = { text, scope, literal: true }
  const matches = findMatches(corpus, question, parseQuestion(corpus, text, tallyFor(scope)), 'prefix')
  if (matches.queryWords.length < 2) return false
  return rankByRelevance(corpus, weights, text, matches, 1).some(({ likeness }) => likeness >= WHOLE_NAME_LIKENESS)
}
/** At this likeness or more, a question is the whole name of a document. */
const WHOLE_NAME_LIKENESS = 0.95

/**
 * Finds the documents that match a question, and ranks them if the order is relevance:
 *
 * 1. The question may be a name: its words are matched as they are.
 * 2. It may contain the name of a record ("festivals of Patan"): documents that link to that record match.
 * 3. If no document has this name, words are read as concepts: "temples" is a sort of record, "Patan" a place.
 *
 * The choice depends on the question and the documents, not on the page. So all pages agree.
 */
function answerWords(
  corpus: Corpus,
  weights: Weights,
  query: Asked,
  size: number,
): Pick<Answer, 'matches' | 'ranking'> {
  const isRanked = (matches: QuestionMatches) =>
    matches.queryWords.length > 0 && (query.sort ?? 'relevance') === 'relevance'
  const tally = tallyFor(query.scope)
  const words = parseQuestion(corpus, query.text, tally)
  const fits = wordFits(words)
  const rank = (matches: QuestionMatches) => rankByRelevance(corpus, weights, query.text, matches, size, fits)
  const asName = findMatches(corpus, { ...query, literal: true }, words)
  if (query.literal || asName.queryWords.length === 0)
    return { matches: asName, ranking: isRanked(asName) ? rank(asName) : undefined }
  const rankedNames = rank(asName)
  // A filter may drop the record that others link to: a deity is not a temple. So names are compared without filters.
  const unfiltered = { text: query.text, scope: query.scope, literal: true }
  const named = isNarrowed(corpus, query) ? rank(findMatches(corpus, unfiltered, words)) : rankedNames
  const linked = addLinks(corpus, words, named.map(({ number }) => number).slice(0, MOST_COMPARED), tally)
  // Some things are called after their sort alone: "Small Stupas". Who asks for stupas means all of them.
  const isName = !isSortAlone(words) && rankedNames.some(({ likeness }) => likeness >= NAME_LIKENESS)
  const hasConcepts = !isName && findConcepts(corpus, words, query).concepts.length > 0
  const matches =
    hasConcepts || linked !== words ? findMatches(corpus, { ...query, literal: !hasConcepts }, linked) : asName
  if (!isRanked(matches)) return { matches, ranking: undefined }
  const ranking = matches === asName ? rankedNames : rank(matches)
  return isName || countTelling(words) < 2 ? { matches, ranking } : completeFew(corpus, query, matches, ranking)
}

const countTelling = (words: readonly QueryWord[]): number => words.filter(({ aside }) => !aside).length

/** Whether the telling words of a question name a sort of thing, and nothing else: "stupas". */
function isSortAlone(words: readonly QueryWord[]): boolean {
  const telling = words.filter(({ aside }) => !aside)
  const [mention] = findMentions(telling)
  return mention?.concept.as === 'sort' && mention.from === 0 && mention.to === telling.length - 1
}

/** The most points of an answer. If there are more, the answer has counts for the cells of a grid instead. */
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
