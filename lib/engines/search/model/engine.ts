import type { Weights } from '../../../base/config.ts'
import { distanceInMetres } from '../../matching/index.ts'
import { sightOf } from '../index/columns.ts'
import type { Hit, MapResult, Model, SearchQuery, SearchResult, SortOrder, SuggestQuery } from '../query.ts'
import { isWritten } from './choices.ts'
import { clusterPoints } from './clusters.ts'
import type { Corpus } from './corpus.ts'
import { countFacets } from './facets.ts'
import { type Filters, isNarrowed, makeFilter } from './filters.ts'
import { explainAnswer, hitMaker, makeHit, makeHits } from './hits.ts'
import { addLinks } from './linked.ts'
import { findLiteral } from './literal.ts'
import { anyTells, countsInText, knownShare, lookUpExactly, lookUpNearly, tellingShare } from './lookup.ts'
import { type Matches, matchDocuments, truncateMatches } from './match.ts'
import { findConcepts, parseQuestion, type QueryWord } from './question.ts'
import { type Answers, MOST_COMPARED, type RankedDocument, rankByRelevance } from './rank.ts'
import { selectTop } from './select-top.ts'

/**
 * With fewer documents than this that hold all words as written, near spellings and documents that lack a word are
 * added.
 */
const ENOUGH = 10
/**
 * The share of a question's weight that a document must hold; the second, beside a few documents that hold all in their
 * names.
 */
const LEAST = 0.45
const LEAST_BESIDE = 0.6
/** So many documents are a few. */
const FEW = 3
/** The share for a question of more than four words. */
const LEAST_OF_MANY = 0.2
/** The share of a question that documents must know. One word of three is too little: it may stand in any name. */
const KNOWN = 0.34
/** What a document that lacks a word must score: a name does, a mention in passing does not. */
const LEAST_SCORE = 0.15
/** What a document scores at least if all words are in its names. */
const NAMES = 0.3

/** A model over a corpus. `state` is asked for with each answer, since the corpus moves on. */
export function createModel(corpus: Corpus, weights: Weights, state: () => string): Model {
  return {
    search: async (ask) => search(corpus, weights, ask, state()),
    map: async (ask) => mapPoints(corpus, weights, ask, state()),
    suggest: async (guess) => suggest(corpus, weights, guess),
    literal: async (ask) => findLiteral(corpus, ask, makeFilter(corpus, ask)),
    document: async (id, scope) => {
      const number = corpus.find(id)
      return number !== undefined && makeFilter(corpus, { scope })(number) ? makeHit(corpus, number, 0) : undefined
    },
    get state() {
      return state()
    },
  }
}

function search(corpus: Corpus, weights: Weights, ask: SearchQuery, state: string): SearchResult {
  const { offset = 0, limit } = ask
  const { found, ranked } = answer(corpus, weights, ask, offset + limit)
  const page = (ranked ?? inOrder(corpus, ask, found.numbers, offset + limit)).slice(offset, offset + limit)
  return {
    count: found.numbers.length,
    hits: makeHits(corpus, ask, found, page),
    ...(ask.facets && { facets: countFacets(corpus, found.numbers, ask) }),
    ...explainAnswer(corpus, ask, found, page),
    state,
  }
}

/** From this likeness on a name is what the question asks for, whatever its words mean. */
const NAMED = 0.8

/**
 * Finds the answers to a question, ranked if the order is relevance. The question counts as a name first. If nothing is
 * called so, it is what its words mean. The choice depends on the question and the documents alone, not on the page.
 */
function answer(corpus: Corpus, weights: Weights, ask: SearchQuery, size: number) {
  const rank = (found: Answers) => rankByRelevance(corpus, weights, ask.text, found, size)
  const byWords = (found: Answers) => found.wanted.length > 0 && (ask.sort ?? 'relevance') === 'relevance'
  const sight = sightOf(ask.scope)
  const asked = parseQuestion(corpus, ask.text, sight)
  const asName = findAnswers(corpus, { ...ask, literal: true }, asked)
  if (ask.literal || asName.wanted.length === 0)
    return { found: asName, ranked: byWords(asName) ? rank(asName) : undefined }
  const ranked = rank(asName)
  // A filter may drop the record that others link to: a deity is no temple. So names are looked for without filters.
  const anywhere = { text: ask.text, scope: ask.scope, literal: true }
  const called = isNarrowed(corpus, ask) ? rank(findAnswers(corpus, anywhere, asked)) : ranked
  const linked = addLinks(corpus, asked, called.map(({ number }) => number).slice(0, MOST_COMPARED), sight)
  const isName = ranked.some(({ likeness }) => likeness >= NAMED)
  const isMeant = !isName && findConcepts(corpus, asked, sight).concepts.length > 0
  const found = isMeant || linked !== asked ? findAnswers(corpus, { ...ask, literal: !isMeant }, linked) : asName
  return { found, ranked: byWords(found) ? (found === asName ? ranked : rank(found)) : undefined }
}

const inOrder = (corpus: Corpus, ask: SearchQuery, numbers: Uint32Array, size: number): RankedDocument[] =>
  selectTop(numbers, size, orders(corpus, ask)[ask.sort ?? 'relevance']).map((number) => ({
    number,
    score: 0,
    likeness: 0,
  }))

/** The most points that an answer lists one by one. */
const MOST_POINTS = 5000

/**
 * The found documents that have a place: each of them, or if they are too many, how many there are in each cell of a
 * grid.
 */
function mapPoints(corpus: Corpus, weights: Weights, ask: SearchQuery, state: string): MapResult {
  const { lat } = corpus.columns
  const { numbers } = answer(corpus, weights, ask, 0).found
  const placed = numbers.filter((number) => !Number.isNaN(lat[number]))
  const few = placed.length <= MOST_POINTS
  const hitAt = hitMaker(corpus, ask)
  return {
    count: numbers.length,
    points: few ? Array.from(placed, (number) => hitAt(number)) : [],
    clusters: few ? [] : clusterPoints(corpus.columns, placed),
    state,
  }
}

/** Names that answer the text; documents that only mention it elsewhere are no completions. */
function suggest(corpus: Corpus, weights: Weights, guess: SuggestQuery): Hit[] {
  const begins = guess.text.trim().length < 3
  const asked = parseQuestion(corpus, guess.text, sightOf(guess.scope))
  const found = findAnswers(corpus, guess, asked, begins ? 'prefix' : 'like')
  if (found.wanted.length === 0) return []
  return rankByRelevance(corpus, weights, guess.text, found, guess.limit)
    .filter(({ likeness }) => likeness >= 0.4)
    .slice(0, guess.limit)
    .map(({ number, score }) => makeHit(corpus, number, score))
}

type Question = Filters & { text: string; literal?: boolean | undefined }

/**
 * Everything that answers the text and passes the filters. `asked`: the words of the text. `prefix`: words and their
 * completions only, no near spellings.
 */
function findAnswers(
  corpus: Corpus,
  ask: Question,
  asked: readonly QueryWord[],
  how: 'prefix' | 'like' = 'like',
): Answers {
  const admits = makeFilter(corpus, ask)
  if (ask.text.trim() === '') return { ...allMatches(corpus, admits), wanted: [], concepts: [] }
  const sight = sightOf(ask.scope)
  if (asked.length === 0) return { ...noMatches(), wanted: [], concepts: [] }
  const { words, concepts } =
    ask.literal || how === 'prefix' ? { words: asked, concepts: [] } : findConcepts(corpus, asked, sight)
  const written = lookUpExactly(corpus, words, sight)
  const held = matchDocuments(corpus, written, tellingShare(written), admits)
  const all = anyTells(words) ? held : dropPassingMentions(held, new Set())
  if ((all.numbers.length >= ENOUGH && written.every(isWritten)) || how === 'prefix')
    return { ...all, wanted: written, concepts }
  const nearly = lookUpNearly(corpus, written, sight, ask.literal)
  if (knownShare(nearly) < KNOWN) return { ...noMatches(), wanted: nearly, concepts }
  const whole = new Set(all.numbers)
  const named = new Set(all.numbers.filter((_, i) => (all.scores[i] ?? 0) >= NAMES))
  const count = nearly.filter(countsInText).length
  const least = named.size >= FEW ? LEAST_BESIDE : count > 4 ? LEAST_OF_MANY : LEAST
  const found = matchDocuments(corpus, nearly, least, admits)
  const said = count > 4 ? found : dropPassingMentions(found, whole)
  if (said.numbers.length > 0 || words.length < 3 || nearly.filter(isWritten).length < 2)
    return { ...said, wanted: nearly, concepts, named }
  // A question of three words or more, of which two are written somewhere, gets what answers any of them.
  return { ...matchDocuments(corpus, nearly, LEAST_OF_MANY / 4, admits), wanted: nearly, concepts, named }
}

/** Drops documents that score little, unless they are among those that hold the `whole` question. */
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

/** The orders that do not depend on the text. */
function orders(
  corpus: Corpus,
  { near }: Pick<SearchQuery, 'near'>,
): Record<SortOrder, (a: number, b: number) => boolean> {
  const { lat, lng, updated, created, popularity, name, order } = corpus.columns
  const by =
    (column: ArrayLike<number>, way: 1 | -1, also: (a: number, b: number) => number = () => 0) =>
    (a: number, b: number) => {
      // Ties go by id in the same direction, as in the lists of the table.
      return way * ((column[a] ?? 0) - (column[b] ?? 0) || also(a, b) || (order[a] ?? 0) - (order[b] ?? 0)) < 0
    }
  const names = (a: number, b: number) => corpus.compareNames(a, b)
  const away = (number: number) => (near ? distanceInMetres(near, { lat: lat[number] ?? 0, lng: lng[number] ?? 0 }) : 0)
  return {
    relevance: by(updated, -1),
    newest: by(updated, -1),
    popularity: by(popularity, -1, (a, b) => (updated[a] ?? 0) - (updated[b] ?? 0)),
    created: by(created, 1),
    '-created': by(created, -1),
    name: by(name, 1, names),
    '-name': by(name, -1, names),
    distance: (a, b) => away(a) - away(b) < 0 || (away(a) === away(b) && (order[a] ?? 0) < (order[b] ?? 0)),
  }
}
