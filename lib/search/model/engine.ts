import type { Weights } from '../../config.ts'
import { metres } from '../../matching/geo.ts'
import { sightOf } from '../index/columns.ts'
import type { Hit, MapResult, Model, SearchQuery, SearchResult, Sort, SuggestQuery } from '../query.ts'
import { isWritten } from './choices.ts'
import { clusteredPoints } from './clusters.ts'
import type { Corpus } from './corpus.ts'
import { facetsOf } from './facets.ts'
import { admission, type Filters, isNarrowed } from './filters.ts'
import { hitOf, placing, shownHits, toldOf } from './hits.ts'
import { withLinks } from './linked.ts'
import { literalIn } from './literal.ts'
import { anyTells, asWritten, knownOf, orNearly, telling, tellsOfText } from './lookup.ts'
import { firstOf, type Matches, match } from './match.ts'
import { type Asked, questionOf, understood } from './question.ts'
import { byRelevance, COMPARED, type Found, type Ranked } from './rank.ts'
import { selectTop } from './select-top.ts'

/** With fewer documents than this that hold all words as written, near spellings and documents that lack a word are shown too. */
const ENOUGH = 10
/** What a document must hold of a question, by weight, when no name holds all of it, and when a few do. */
const LEAST = 0.45
const LEAST_BESIDE = 0.6
/** Beside so many that hold all of it others must hold more. */
const FEW = 3
/** Of many words any few do. */
const LEAST_OF_MANY = 0.2
/** How much of a question must be known: one word of three may stand in any name. */
const KNOWN = 0.34
/** How much a document must say that lacks a word: a name does, a mention does not. */
const LEAST_SCORE = 0.15
/** What it scores at least when all words are in its names. */
const NAMES = 0.3

/** Answers questions about a corpus. `state` is asked for with each answer, since the corpus moves on. */
export function modelOf(corpus: Corpus, weights: Weights, state: () => string): Model {
  return {
    search: async (ask) => search(corpus, weights, ask, state()),
    map: async (ask) => mapped(corpus, weights, ask, state()),
    suggest: async (guess) => suggest(corpus, weights, guess),
    literal: async (ask) => literalIn(corpus, ask, admission(corpus, ask)),
    document: async (id, scope) => {
      const number = corpus.find(id)
      return number !== undefined && admission(corpus, { scope })(number) ? hitOf(corpus, number, 0) : undefined
    },
    get state() {
      return state()
    },
  }
}

function search(corpus: Corpus, weights: Weights, ask: SearchQuery, state: string): SearchResult {
  const { offset = 0, limit } = ask
  const { found, ranked } = readAsMeant(corpus, weights, ask, offset + limit)
  const page = (ranked ?? inOrder(corpus, ask, found.numbers, offset + limit)).slice(offset, offset + limit)
  return {
    count: found.numbers.length,
    hits: shownHits(corpus, ask, found, page),
    ...(ask.facets && { facets: facetsOf(corpus, found.numbers, ask) }),
    ...toldOf(corpus, ask, found, page),
    state,
  }
}

/** What is so like a question is called so: the question is a name, whatever its words mean. */
const NAMED = 0.8

/**
 * What answers a question, ranked where it goes by relevance: taken as a name first, and as what its words mean where nothing
 * is called so. Which of them it is depends on the question and the documents alone, not on the page.
 */
function readAsMeant(corpus: Corpus, weights: Weights, ask: SearchQuery, size: number) {
  const rank = (found: Found) => byRelevance(corpus, weights, ask.text, found, size)
  const byWords = (found: Found) => found.wanted.length > 0 && (ask.sort ?? 'relevance') === 'relevance'
  const sight = sightOf(ask.scope)
  const asked = questionOf(corpus, ask.text, sight)
  const asName = find(corpus, { ...ask, literal: true }, asked)
  if (ask.literal || asName.wanted.length === 0)
    return { found: asName, ranked: byWords(asName) ? rank(asName) : undefined }
  const ranked = rank(asName)
  // What is linked to may itself be filtered out: a deity is no temple.
  const anywhere = { text: ask.text, scope: ask.scope, literal: true }
  const called = isNarrowed(corpus, ask) ? rank(find(corpus, anywhere, asked)) : ranked
  const linked = withLinks(corpus, asked, called.map(({ number }) => number).slice(0, COMPARED), sight)
  const isName = ranked.some(({ likeness }) => likeness >= NAMED)
  const isMeant = !isName && understood(corpus, asked, sight).concepts.length > 0
  const found = isMeant || linked !== asked ? find(corpus, { ...ask, literal: !isMeant }, linked) : asName
  return { found, ranked: byWords(found) ? (found === asName ? ranked : rank(found)) : undefined }
}

const inOrder = (corpus: Corpus, ask: SearchQuery, numbers: Uint32Array, size: number): Ranked[] =>
  selectTop(numbers, size, orders(corpus, ask)[ask.sort ?? 'relevance']).map((number) => ({
    number,
    score: 0,
    likeness: 0,
  }))

/** At most so many points are told one by one. */
const MOST_POINTS = 5000

/** What was found that has a place: each, or where they are too many, how many there are in each cell of a grid. */
function mapped(corpus: Corpus, weights: Weights, ask: SearchQuery, state: string): MapResult {
  const { lat } = corpus.columns
  const { numbers } = readAsMeant(corpus, weights, ask, 0).found
  const placed = numbers.filter((number) => !Number.isNaN(lat[number]))
  const few = placed.length <= MOST_POINTS
  const hitAt = placing(corpus, ask)
  return {
    count: numbers.length,
    points: few ? Array.from(placed, (number) => hitAt(number)) : [],
    clusters: few ? [] : clusteredPoints(corpus.columns, placed),
    state,
  }
}

/** Names that answer the text; documents that only mention it elsewhere are no completions. */
function suggest(corpus: Corpus, weights: Weights, guess: SuggestQuery): Hit[] {
  const begins = guess.text.trim().length < 3
  const asked = questionOf(corpus, guess.text, sightOf(guess.scope))
  const found = find(corpus, guess, asked, begins ? 'prefix' : 'like')
  if (found.wanted.length === 0) return []
  return byRelevance(corpus, weights, guess.text, found, guess.limit)
    .filter(({ likeness }) => likeness >= 0.4)
    .slice(0, guess.limit)
    .map(({ number, score }) => hitOf(corpus, number, score))
}

type Question = Filters & { text: string; literal?: boolean | undefined }

/** Everything that answers the text, of which `asked` are the words, and passes the filters. */
function find(corpus: Corpus, ask: Question, asked: readonly Asked[], how: 'prefix' | 'like' = 'like'): Found {
  const admits = admission(corpus, ask)
  if (ask.text.trim() === '') return { ...everything(corpus, admits), wanted: [], concepts: [] }
  const sight = sightOf(ask.scope)
  if (asked.length === 0) return { ...nothing(), wanted: [], concepts: [] }
  const { words, concepts } =
    ask.literal || how === 'prefix' ? { words: asked, concepts: [] } : understood(corpus, asked, sight)
  const written = asWritten(corpus, words, sight)
  const held = match(corpus, written, telling(written), admits)
  const all = anyTells(words) ? held : saying(held, new Set())
  if ((all.numbers.length >= ENOUGH && written.every(isWritten)) || how === 'prefix')
    return { ...all, wanted: written, concepts }
  const nearly = orNearly(corpus, written, sight, ask.literal)
  if (knownOf(nearly) < KNOWN) return { ...nothing(), wanted: nearly, concepts }
  const whole = new Set(all.numbers)
  const named = new Set(all.numbers.filter((_, i) => (all.scores[i] ?? 0) >= NAMES))
  const count = nearly.filter(tellsOfText).length
  const least = named.size >= FEW ? LEAST_BESIDE : count > 4 ? LEAST_OF_MANY : LEAST
  const found = match(corpus, nearly, least, admits)
  const said = count > 4 ? found : saying(found, whole)
  if (said.numbers.length > 0 || words.length < 3 || nearly.filter(isWritten).length < 2)
    return { ...said, wanted: nearly, concepts, named }
  // Whoever puts three words or more that are known gets what answers any of them.
  return { ...match(corpus, nearly, LEAST_OF_MANY / 4, admits), wanted: nearly, concepts, named }
}

/** Without those that hold only some of the words and only in passing. */
function saying(matches: Matches, whole: ReadonlySet<number>): Matches {
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
  return firstOf(matches, size)
}

const nothing = (): Matches => unsaid(new Uint32Array())
const unsaid = (numbers: Uint32Array): Matches => ({
  numbers,
  scores: new Float32Array(numbers.length),
  texts: new Float32Array(numbers.length),
  held: new Uint32Array(numbers.length),
})

function everything({ columns }: Corpus, admits: (number: number) => boolean): Matches {
  const numbers = new Uint32Array(columns.size)
  let count = 0
  for (let number = 0; number < columns.size; number += 1) if (admits(number)) numbers[count++] = number
  return unsaid(numbers.subarray(0, count))
}

/** The orders that do not depend on the text. */
function orders(corpus: Corpus, { near }: Pick<SearchQuery, 'near'>): Record<Sort, (a: number, b: number) => boolean> {
  const { lat, lng, updated, created, popularity, name, order } = corpus.columns
  const by =
    (column: ArrayLike<number>, way: 1 | -1, also: (a: number, b: number) => number = () => 0) =>
    (a: number, b: number) => {
      // Ties go by id in the same direction, as in the lists of the table.
      return way * ((column[a] ?? 0) - (column[b] ?? 0) || also(a, b) || (order[a] ?? 0) - (order[b] ?? 0)) < 0
    }
  const names = (a: number, b: number) => corpus.compareNames(a, b)
  const away = (number: number) => (near ? metres(near, { lat: lat[number] ?? 0, lng: lng[number] ?? 0 }) : 0)
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
