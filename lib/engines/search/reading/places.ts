import type { Scope } from '../../../base/visibility.ts'
import { distanceInMetres, type Point } from '../../matching/index.ts'
import { eachPosting } from '../index/codec.ts'
import { type ColumnTally, tallyFor } from '../index/columns.ts'
import { conceptOf, findMentions, isTag, tagOf } from '../index/tags.ts'
import { ANY_VOICE } from '../index/voice.ts'
import { genericTerms, sortTerms, splitWords, toTerm } from '../index/words.ts'
import type { Corpus } from '../model/corpus.ts'
import { makeFilter } from '../model/filters.ts'
import { findMatches } from '../model/find.ts'
import { lookUpExactly, visibleTerms } from '../model/lookup.ts'
import { areaOf, DEFAULT_REACH, documentsWith, isPlace, namedFinder, reachOf } from '../model/named.ts'
import { lookUpNearly } from '../model/near.ts'
import { parseQuestion, type QueryWord } from '../model/question.ts'
import { rankByRelevance } from '../model/rank.ts'
import { otherEndingsOf } from '../model/spellings.ts'
import { type Concept, loadedVocabulary } from '../vocabulary.ts'
import { type Token, textOf } from './tokens.ts'

/**
 * A place that a question names: its point, how far it reaches in kilometres, and its name. `numbers`: the records that are the place.
 * `mended`: the words of the name, if the question has them with a slip, or has only a part of the name.
 */
export type NamedPlace = {
  at: Point
  mended?: readonly string[]
  reach: number
  label: string
  concept?: Concept
  numbers: readonly number[]
}

/** The most words of the name of a place. */
const MOST_WORDS = 4
/** At this likeness or more, the words are the name of a record. */
const NAME_LIKENESS = 0.85
/** The most records that are compared with a name. */
const MOST_COMPARED = 16

export type Side = 'leads' | 'follows'
/** A place at one end of a part, and how many words it has. */
export type Found = { place: NamedPlace; size: number }

/** Finds the longest run of words that names a place, at one end of a part. */
function longestRun(
  tokens: readonly Token[],
  side: Side,
  find: (run: readonly Token[]) => NamedPlace | undefined,
): Found | undefined {
  for (let size = Math.min(MOST_WORDS, tokens.length); size > 0; size -= 1) {
    const place = find(side === 'leads' ? tokens.slice(0, size) : tokens.slice(-size))
    if (place) return { place, size }
  }
  return undefined
}

/**
 * Finds the place that the first words (`leads`) or the last words (`follows`) of a part name. It is a pair of coordinates, a place of the
 * vocabulary, or a record with a point that the caller may see. The longest name wins. Returns how many words it has.
 */
export const findPlace = (corpus: Corpus, tokens: readonly Token[], scope: Scope, side: Side): Found | undefined =>
  longestRun(tokens, side, (run) => placeNamed(corpus, run, scope))

/**
 * Finds the place that the words of a part name with a slip ("Boudanath"). Or the place of all records that have the words in their names:
 * "Boudha" of "Great stupa of Boudha". The longest run of words wins.
 */
export const findPlaceLike = (corpus: Corpus, tokens: readonly Token[], scope: Scope, side: Side): Found | undefined =>
  longestRun(tokens, side, (run) => placeLike(corpus, run, scope))

/** The least fit of a spelling by which a word is mended to the name of a place. The most spellings of a word, and of a name. */
const MENDED_FIT = 0.6
const MOST_SPELLINGS = 6
const MOST_NAMES = 24

function placeLike(corpus: Corpus, run: readonly Token[], scope: Scope): NamedPlace | undefined {
  if (run.some(({ point, plain }) => point || /^\d+$/.test(plain))) return undefined
  const tally = tallyFor(scope)
  // The space says that the last word is whole.
  const words = parseQuestion(corpus, `${textOf(run)} `, tally).filter(({ aside }) => !aside)
  if (words.length === 0) return undefined
  const spellings = words.map((word) => placeSpellings(corpus, word, tally).slice(0, MOST_SPELLINGS))
  const names = spellings.reduce<string[][]>(
    (all, terms) => all.flatMap((name) => terms.map((term) => [...name, term])).slice(0, MOST_NAMES),
    [[]],
  )
  return firstOf(names, (mended) => {
    const place = placeOfTerms(corpus, mended, scope) ?? placeOfNames(corpus, mended, scope)
    return place && { ...place, mended }
  })
}

/**
 * The terms that a word of a place's name may stand for: the word, and the word with another ending. If no document holds the word, its
 * near spellings instead of it.
 */
function placeSpellings(corpus: Corpus, word: QueryWord, tally: ColumnTally): string[] {
  const ended = visibleTerms(corpus, otherEndingsOf(word.sound, SHORTEST_STEM).map(toTerm), tally)
  if (corpus.terms.count(word.term, tally) > 0) return [word.term, ...ended]
  const [mended] = lookUpNearly(corpus, lookUpExactly(corpus, [word], tally), tally)
  const near = mended?.choices.flatMap(({ terms, fit }) => (terms.length === 1 && fit >= MENDED_FIT ? terms : [])) ?? []
  return [...ended, ...near.filter((term) => !isTag(term))]
}
const SHORTEST_STEM = 3

const firstOf = <T, R>(all: readonly T[], find: (one: T) => R | undefined): R | undefined => {
  for (const one of all) {
    const found = find(one)
    if (found !== undefined) return found
  }
  return undefined
}

/** The place that these terms name as a whole: one of the vocabulary, or a record that is a place. */
function placeOfTerms(corpus: Corpus, terms: readonly string[], scope: Scope): NamedPlace | undefined {
  const findNamed = namedFinder(corpus, scope)
  const words = terms.map((term) => ({ term, voice: ANY_VOICE }))
  const mention = findMentions(words, findNamed).find(({ from, to }) => from === 0 && to === words.length - 1)
  // "Bauddha" may be a deity in the vocabulary, and a town among the records.
  const concept = [mention?.concept, findNamed(terms.join(' '))].find((it) => it && isPlace(it))
  return concept && placeOfConcept(corpus, concept)
}

function placeOfConcept(corpus: Corpus, concept: Concept): NamedPlace | undefined {
  const { area, label, documents = [] } = concept
  if (area) return { at: area.at, reach: area.reach, label, concept, numbers: documents }
  const place = firstOf(documents, (number) => placeOf(corpus, number))
  return place && { ...place, numbers: documents }
}

/** Records at most this many kilometres apart are at one place. Words that more than `MOST_TOGETHER` records have in a name are no place. */
const TOGETHER = 2
const MOST_TOGETHER = 24

/** The place of the records with a point that have all these terms in one name, if they lie together. */
function placeOfNames(corpus: Corpus, terms: readonly string[], scope: Scope): NamedPlace | undefined {
  if (!terms.some(isDistinctive)) return undefined
  const { lat, lng } = corpus.columns
  const pointOf = (number: number) => ({ lat: lat[number] ?? Number.NaN, lng: lng[number] ?? Number.NaN })
  const admits = makeFilter(corpus, { scope, also: (number) => !Number.isNaN(lat[number]) })
  const called: number[] = []
  for (const list of documentsWith(corpus, terms))
    eachPosting(list, (number) => {
      const isCalled = () =>
        corpus.names(number).some(({ words }) => terms.every((term) => words.some((word) => word.term === term)))
      if (called.length <= MOST_TOGETHER && admits(number) && isCalled()) called.push(number)
    })
  const [first] = called.toSorted((a, b) => wordsInName(corpus, a) - wordsInName(corpus, b))
  if (first === undefined || called.length > MOST_TOGETHER) return undefined
  const areTogether = called.every((number) => isNear(pointOf(number), pointOf(first), TOGETHER))
  const place = areTogether ? placeOf(corpus, first) : undefined
  return place && { ...place, numbers: called }
}

/** Whether a term may distinguish a name: it is no sort of thing, as "temple" is, and no word that many names have. */
function isDistinctive(term: string): boolean {
  const concept = conceptOf(term)
  return concept ? concept.isName === true : !sortTerms().has(term) && !genericTerms().has(term)
}

const wordsInName = (corpus: Corpus, number: number): number =>
  Math.min(...corpus.names(number).map(({ words }) => words.length))

/** The place that these words name as a whole. Undefined if they name none. */
function placeNamed(corpus: Corpus, run: readonly Token[], scope: Scope): NamedPlace | undefined {
  const [first] = run
  if (run.length === 1 && first?.point)
    return { at: first.point, reach: DEFAULT_REACH, label: first.typed, numbers: [] }
  if (run.some(({ point }) => point)) return undefined
  const text = textOf(run)
  const words = splitWords(text)
  const mention = findMentions(words, namedFinder(corpus, scope)).find(
    ({ from, to }) => from === 0 && to === words.length - 1,
  )
  const called = mention && placeOfConcept(corpus, mention.concept)
  if (called) return called
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
  return area && { ...area, label: corpus.document(number).title, numbers: [number] }
}

/** The least impact of a tag whose place the document itself names, as a value or in a name. See `CERTAINTY` in index/tags.ts. */
const NAMED_IMPACT = 60

/**
 * Makes a test of whether a document is in a place. A document that names the place is in it. Any other must lie within reach, and have no
 * tag of a smaller place there: the museum of Patan is not in Kathmandu.
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
