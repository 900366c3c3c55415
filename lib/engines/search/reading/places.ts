import type { Scope } from '../../../base/visibility.ts'
import { distanceInMetres, type Point } from '../../matching/index.ts'
import { eachPosting } from '../index/codec.ts'
import { tallyFor } from '../index/columns.ts'
import { findMentions, tagOf } from '../index/tags.ts'
import { splitWords } from '../index/words.ts'
import type { Corpus } from '../model/corpus.ts'
import { makeFilter } from '../model/filters.ts'
import { findMatches } from '../model/find.ts'
import { areaOf, DEFAULT_REACH, namedFinder, reachOf } from '../model/named.ts'
import { parseQuestion } from '../model/question.ts'
import { rankByRelevance } from '../model/rank.ts'
import { type Concept, loadedVocabulary } from '../vocabulary.ts'
import { type Token, textOf } from './tokens.ts'

/** A place that a question names: its point, how far it reaches in kilometres, and its name. */
export type NamedPlace = { at: Point; reach: number; label: string; concept?: Concept }

/** The most words of the name of a place. */
const MOST_WORDS = 4
/** At this likeness or more, the words are the name of a record. */
const NAME_LIKENESS = 0.85
/** The most records that are compared with a name. */
const MOST_COMPARED = 16

/**
 * Finds the place that the first words (`leads`) or the last words (`follows`) of a part name: coordinates, a place of the
 * vocabulary, or a record with a point that the caller may see. The longest name wins. Returns how many words it has.
 */
export function findPlace(
  corpus: Corpus,
  tokens: readonly Token[],
  scope: Scope,
  side: 'leads' | 'follows',
): { place: NamedPlace; size: number } | undefined {
  for (let size = Math.min(MOST_WORDS, tokens.length); size > 0; size -= 1) {
    const run = side === 'leads' ? tokens.slice(0, size) : tokens.slice(-size)
    const place = placeNamed(corpus, run, scope)
    if (place) return { place, size }
  }
  return undefined
}

/** The place that these words name as a whole. Undefined if they name none. */
function placeNamed(corpus: Corpus, run: readonly Token[], scope: Scope): NamedPlace | undefined {
  const [first] = run
  if (run.length === 1 && first?.point) return { at: first.point, reach: DEFAULT_REACH, label: first.typed }
  if (run.some(({ point }) => point)) return undefined
  const text = textOf(run)
  const words = splitWords(text)
  const mention = findMentions(words, namedFinder(corpus, scope)).find(
    ({ from, to }) => from === 0 && to === words.length - 1,
  )
  if (mention?.concept.area) {
    const { area, label } = mention.concept
    return { at: area.at, reach: area.reach, label, concept: mention.concept }
  }
  const called = mention?.concept.documents?.flatMap((number) => placeOf(corpus, number) ?? [])
  if (called?.[0]) return called[0]
  // A concept such as "temple" or "winter" is no place. A concept that is a name may also be the name of a place.
  if ((mention && !mention.concept.isName) || words.every(({ aside }) => aside)) return undefined
  return recordNamed(corpus, text, scope)
}

/** The record with this name and a point. Of several, one that is a place is preferred. */
function recordNamed(corpus: Corpus, text: string, scope: Scope): NamedPlace | undefined {
  const { lat } = corpus.columns
  const query = { text, scope, literal: true, also: (number: number) => !Number.isNaN(lat[number]) }
  const words = parseQuestion(corpus, text, tallyFor(scope))
  const matches = findMatches(corpus, query, words)
  const named = rankByRelevance(corpus, { text: 1, recency: 0, popularity: 0 }, text, matches, MOST_COMPARED).filter(
    ({ likeness }) => likeness >= NAME_LIKENESS,
  )
  const best = named.find(({ number }) => reachOf(corpus, number) !== undefined) ?? named[0]
  return best && placeOf(corpus, best.number)
}

/** The place that a document is. Undefined if it has no point. */
function placeOf(corpus: Corpus, number: number): NamedPlace | undefined {
  const area = areaOf(corpus, number)
  return area && { ...area, label: corpus.document(number).title }
}

/** The least impact of a tag whose place the document itself names, as a value or in a name. See `CERTAINTY` in index/tags.ts. */
const NAMED_IMPACT = 60

/**
 * Makes a test of whether a document is in a place. A document that names the place is in it. Another one is in it if its point is
 * within reach, unless it has the tag of a smaller place there: the museum of Patan is not in Kathmandu.
 */
export function isInPlace(corpus: Corpus, { at, reach, concept }: NamedPlace): (number: number) => boolean {
  const { lat, lng } = corpus.columns
  const naming = new Set<number>()
  const elsewhere = new Set<number>()
  const smaller = loadedVocabulary().concepts.filter(
    ({ area, label }) => area && area.reach < reach && label !== concept?.label && isNear(area.at, at, reach),
  )
  if (concept) {
    for (const list of corpus.postings(tagOf(concept)))
      eachPosting(list, (number, impact) => {
        if (impact >= NAMED_IMPACT) naming.add(number)
      })
    for (const other of smaller)
      for (const list of corpus.postings(tagOf(other))) eachPosting(list, (number) => elsewhere.add(number))
  }
  return (number) => {
    if (naming.has(number)) return true
    if (concept && elsewhere.has(number)) return false
    return isNear({ lat: lat[number] ?? Number.NaN, lng: lng[number] ?? Number.NaN }, at, reach)
  }
}

const isNear = (point: Point, at: Point, kilometres: number) => distanceInMetres(at, point) <= kilometres * 1000

/** Whether any document passes the filters of a question and this test. */
export function hasAny(corpus: Corpus, filters: Parameters<typeof makeFilter>[1], test: (number: number) => boolean) {
  const admits = makeFilter(corpus, filters)
  for (let number = 0; number < corpus.columns.size; number += 1) if (test(number) && admits(number)) return true
  return false
}
