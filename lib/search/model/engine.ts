import type { Weights } from '../../config.ts'
import { ALIVE, categoryIn, OPEN_TIER, PUBLISHED, resourceIn, sightOf, statusIn } from '../index/columns.ts'
import type { Facets, Hit, Model, SearchQuery, SearchResult, Sort, SuggestQuery } from '../query.ts'
import type { Corpus } from './corpus.ts'
import { literalIn } from './literal.ts'
import {
  anyTells,
  asWritten,
  isWritten,
  knownOf,
  orNearly,
  questionOf,
  telling,
  tellsOfText,
  understood,
  withoutEndings,
} from './lookup.ts'
import { firstOf, type Matches, match } from './match.ts'
import { byRelevance, type Found } from './rank.ts'
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
const SAYS = 0.15
/** What it says at least when all words are in its names. */
const NAMES = 0.3

/** Answers questions about a corpus. `state` is asked for with each answer, since the corpus moves on. */
export function modelOf(corpus: Corpus, weights: Weights, state: () => string): Model {
  return {
    search: async (ask) => search(corpus, weights, ask, state()),
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
  const found = find(corpus, ask)
  const sort = ask.sort ?? 'relevance'
  const ranked =
    sort === 'relevance' && found.wanted.length > 0
      ? byRelevance(corpus, weights, ask.text, found, offset + limit)
      : selectTop(found.numbers, offset + limit, orders(corpus)[sort]).map((number) => ({ number, score: 0 }))
  return {
    count: found.numbers.length,
    hits: ranked.slice(offset, offset + limit).map(({ number, score }) => hitOf(corpus, number, score)),
    ...(ask.facets && { facets: facetsOf(corpus, found.numbers) }),
    state,
  }
}

/** Names that answer the text; documents that only mention it elsewhere are no completions. */
function suggest(corpus: Corpus, weights: Weights, guess: SuggestQuery): Hit[] {
  const begins = guess.text.trim().length < 3
  const found = find(corpus, guess, begins ? 'prefix' : 'like')
  if (found.wanted.length === 0) return []
  return byRelevance(corpus, weights, guess.text, found, guess.limit)
    .filter(({ likeness }) => likeness >= 0.4)
    .slice(0, guess.limit)
    .map(({ number, score }) => hitOf(corpus, number, score))
}

type Filters = Pick<SearchQuery, 'scope' | 'resources' | 'statuses' | 'published' | 'category' | 'contributor'>
type Question = Filters & { text: string; literal?: boolean | undefined }

/** Everything that answers the text and passes the filters. */
function find(corpus: Corpus, ask: Question, how: 'prefix' | 'like' = 'like'): Found {
  const admits = admission(corpus, ask)
  if (ask.text.trim() === '') return { ...everything(corpus, admits), wanted: [], concepts: [] }
  const sight = sightOf(ask.scope)
  const asked = questionOf(ask.literal ? ask.text : withoutEndings(corpus, ask.text, sight))
  if (asked.length === 0) return { ...nothing(), wanted: [], concepts: [] }
  const { words, concepts } =
    ask.literal || how === 'prefix' ? { words: asked, concepts: [] } : understood(corpus, asked, sight)
  const written = asWritten(corpus, words, sight)
  const held = match(corpus, written, telling(written), admits)
  const all = anyTells(words) ? held : saying(held, new Set())
  if ((all.numbers.length >= ENOUGH && written.every(isWritten)) || how === 'prefix')
    return { ...all, wanted: written, concepts }
  const nearly = orNearly(corpus, written, sight)
  if (knownOf(nearly) < KNOWN) return { ...nothing(), wanted: nearly, concepts }
  const whole = new Set(all.numbers)
  const named = new Set(all.numbers.filter((_, i) => (all.says[i] ?? 0) >= NAMES))
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
  const { numbers, says, texts, held } = matches
  let size = 0
  for (let i = 0; i < numbers.length; i += 1) {
    const number = numbers[i] ?? 0
    if ((says[i] ?? 0) < SAYS && !whole.has(number)) continue
    numbers[size] = number
    texts[size] = texts[i] ?? 0
    held[size] = held[i] ?? 0
    says[size++] = says[i] ?? 0
  }
  return firstOf(matches, size)
}

const nothing = (): Matches => unsaid(new Uint32Array())
const unsaid = (numbers: Uint32Array): Matches => ({
  numbers,
  says: new Float32Array(numbers.length),
  texts: new Float32Array(numbers.length),
  held: new Uint32Array(numbers.length),
})

function everything({ columns }: Corpus, admits: (number: number) => boolean): Matches {
  const numbers = new Uint32Array(columns.size)
  let count = 0
  for (let number = 0; number < columns.size; number += 1) if (admits(number)) numbers[count++] = number
  return unsaid(numbers.subarray(0, count))
}

/** Whether a document passes the filters and may be shown. Nothing that is found, counted or sorted passes by it. */
function admission(corpus: Corpus, { scope, resources, statuses, published, category, contributor }: Filters) {
  const { flags, contributor: owners } = corpus.columns
  const own = numberOf(corpus, scope.own)
  const wantedOwner = contributor === undefined ? undefined : numberOf(corpus, contributor)
  const resource = resources && memberOf(corpus.resources, resources)
  const status = statuses && memberOf(corpus.statuses, statuses)
  const headings = category === undefined ? undefined : corpus.categories.map(isAmong(category))
  return (number: number): boolean => {
    const it = flags[number] ?? 0
    if ((it & ALIVE) === 0) return false
    const isPublished = (it & PUBLISHED) !== 0
    const open = isPublished && (scope.signedIn || (it & OPEN_TIER) !== 0)
    if (!open && !scope.everything && (own === NOBODY || owners[number] !== own)) return false
    if (published !== undefined && published !== isPublished) return false
    if (resource && resource[resourceIn(it)] === 0) return false
    if (status && status[statusIn(it)] === 0) return false
    if (headings && !headings[categoryIn(it)]) return false
    return wantedOwner === undefined || owners[number] === wantedOwner
  }
}

const isAmong = (wanted: NonNullable<SearchQuery['category']>) => (heading: string) =>
  heading !== '' && (typeof wanted === 'string' ? heading === wanted : wanted(heading))

const NOBODY = 0xffff_ffff
const numberOf = (corpus: Corpus, id: string | null): number => (id && corpus.contributor(id)) || NOBODY

function memberOf(known: readonly string[], wanted: readonly string[]): Uint8Array {
  const members = new Uint8Array(256)
  for (const each of wanted) {
    const at = each === '' ? -1 : known.indexOf(each)
    if (at >= 0) members[at] = 1
  }
  return members
}

/** The orders that do not depend on the text. */
function orders(corpus: Corpus): Record<Sort, (a: number, b: number) => boolean> {
  const { updated, created, popularity, name, order } = corpus.columns
  const by =
    (column: ArrayLike<number>, way: 1 | -1, also: (a: number, b: number) => number = () => 0) =>
    (a: number, b: number) => {
      // Ties go by id in the same direction, as in the lists of the table.
      return way * ((column[a] ?? 0) - (column[b] ?? 0) || also(a, b) || (order[a] ?? 0) - (order[b] ?? 0)) < 0
    }
  const names = (a: number, b: number) => corpus.compareNames(a, b)
  return {
    relevance: by(updated, -1),
    newest: by(updated, -1),
    popularity: by(popularity, -1, (a, b) => (updated[a] ?? 0) - (updated[b] ?? 0)),
    created: by(created, 1),
    '-created': by(created, -1),
    name: by(name, 1, names),
    '-name': by(name, -1, names),
  }
}

function facetsOf(corpus: Corpus, numbers: Uint32Array): Facets {
  const [resources, statuses] = [new Uint32Array(256), new Uint32Array(256)]
  for (const number of numbers) {
    const flags = corpus.columns.flags[number] ?? 0
    resources[resourceIn(flags)] = (resources[resourceIn(flags)] ?? 0) + 1
    statuses[statusIn(flags)] = (statuses[statusIn(flags)] ?? 0) + 1
  }
  return { resource: countsBy(corpus.resources, resources), status: countsBy(corpus.statuses, statuses) }
}

/** By name, in alphabetical order, without those that have none. */
const countsBy = (names: readonly string[], counts: Uint32Array): Record<string, number> =>
  Object.fromEntries(
    names
      .map((name, i): [string, number] => [name, counts[i] ?? 0])
      .filter(([name, count]) => name !== '' && count > 0)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  )

/** A document as a result. */
function hitOf(corpus: Corpus, number: number, score: number): Hit {
  const { version: _, ...face } = corpus.face(number)
  return { ...face, score: Math.round(Math.min(1, score) * 1e6) / 1e6 }
}
