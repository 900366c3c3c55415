import { distanceInMetres } from '../../matching/index.ts'
import type { SearchDocument } from '../document.ts'
import { coarsenPoint, tallyFor } from '../index/columns.ts'
import { isDevanagari } from '../index/header.ts'
import type { Hit, Interpreted, SearchQuery, SearchResult } from '../query.ts'
import { partOf } from '../reading/parts.ts'
import { loadedVocabulary } from '../vocabulary.ts'
import type { Corpus } from './corpus.ts'
import { isCertain } from './facets.ts'
import { labelReader } from './filters.ts'
import { closeness } from './likeness.ts'
import type { WeightedWord } from './lookup.ts'
import { countsInText } from './lookup.ts'
import type { QuestionMatches } from './rank.ts'
import { snippetFinder } from './snippet.ts'

/** Makes the hit of a document. Its score is at most 1. */
export const makeHit = (corpus: Corpus, number: number, score: number): Hit => ({
  ...headerOf(corpus.document(number)),
  score: Math.round(Math.min(1, score) * 1e6) / 1e6,
})

type Header = Omit<Hit, 'score'>
/** Cache of the members of documents that hits show. To copy them takes most of the time of a hit. */
const headers = new WeakMap<SearchDocument, Header>()

function headerOf(document: SearchDocument): Header {
  const cached = headers.get(document)
  if (cached) return cached
  const { version: _, text: __, links: ___, identifiers: ____, ...others } = document
  const header = { ...others, point: coarsenPoint(document) }
  headers.set(document, header)
  return header
}

/**
 * Makes a function that makes hits. A linked place has its current name. With `near`, a hit has a `distance` in kilometres, and with
 * `years` it has a `when`.
 */
export function hitMaker(corpus: Corpus, { scope, near, years }: SearchQuery) {
  const { columns, labels } = corpus
  const { placeFacet } = loadedVocabulary()
  const read = labelReader(corpus, scope)
  return (number: number, score = 0): Hit => {
    const hit = makeHit(corpus, number, score)
    const [written, ...others] = hit.values?.[placeFacet] ?? []
    const linked = read(labels.facets[placeFacet]?.texts[columns.facets[placeFacet]?.[number] ?? 0] ?? '')
    if (linked !== '' && linked !== written) hit.values = { ...hit.values, [placeFacet]: [linked, ...others] }
    if (near && hit.point) hit.distance = Math.round(distanceInMetres(near, hit.point)) / 1000
    if (years) hit.when = isCertain(columns, number, years) ? 'certain' : 'possible'
    return hit
  }
}

/** Makes the hits of a page, with snippets if the query has `snippets`. */
export function makeHits(corpus: Corpus, query: SearchQuery, matches: QuestionMatches, page: readonly Place[]): Hit[] {
  const hitOf = hitMaker(corpus, query)
  const hits = page.map(({ number, score }) => hitOf(number, score))
  if (!query.snippets || matches.queryWords.length === 0) return hits
  const snippetOf = snippetFinder(matches.queryWords, isDevanagari(query.text))
  return hits.map((hit, i) => {
    const { text } = corpus.document(page[i]?.number ?? 0)
    const snippet = snippetOf([hit.summary, ...text.split('\n'), ...hit.names])
    return snippet === undefined ? hit : { ...hit, snippet }
  })
}
type Place = { number: number; score: number }

type Explanation = Pick<SearchResult, 'interpreted' | 'left_out' | 'did_you_mean'>

/**
 * Explains an answer: the concepts read from the question, its words that no found document contains, and a better spelling.
 */
export function explainAnswer(
  corpus: Corpus,
  query: SearchQuery,
  matches: QuestionMatches,
  page: readonly { number: number }[],
): Explanation {
  const { queryWords, concepts, held, numbers } = matches
  if (numbers.length === 0 || queryWords.length === 0) return {}
  const typed = typedWords(query.text, queryWords)
  const heldByAny = held.reduce((bits, it) => bits | it, 0)
  const leftOut = typed.filter((_, i) => (heldByAny & (1 << i)) === 0 && queryWords[i] && countsInText(queryWords[i]))
  const interpreted = concepts.map(
    ({ from, to, concept }): Interpreted => partOf(concept.as, typed.slice(from, to + 1).join(' '), concept.label),
  )
  const tally = tallyFor(query.scope)
  const isInCorpus = ({ raw, term }: WeightedWord) =>
    corpus.words.count(raw, tally) > 0 || corpus.terms.count(term, tally) > 0
  const unknownWords = queryWords.map((it) => (isInCorpus(it) || it.aside || it.concept ? undefined : it))
  const spelling = betterSpelling(corpus, typed, unknownWords, page)
  return {
    ...(interpreted.length > 0 && { interpreted }),
    ...(leftOut.length > 0 && { left_out: leftOut }),
    ...(spelling && { did_you_mean: spelling }),
  }
}

/** The words of the question as typed. If their number differs from that of `queryWords`, the plain words instead. */
function typedWords(text: string, queryWords: readonly WeightedWord[]): string[] {
  const words = [...new Set(text.match(/[\p{L}\p{M}\p{N}]+/gu) ?? [])]
  return words.length === queryWords.length ? words : queryWords.map(({ raw }) => raw)
}

/** At this likeness or more, one word is a misspelling of the other. */
const MISSPELT_LIKENESS = 0.6
/** The number of best hits whose names may correct a spelling. */
const HITS_COMPARED = 3

/** The question with each unknown word spelt as in the best hits. Undefined if no word changes. */
function betterSpelling(
  corpus: Corpus,
  typed: readonly string[],
  unknown: readonly (WeightedWord | undefined)[],
  page: readonly { number: number }[],
): string | undefined {
  const words = page.slice(0, HITS_COMPARED).flatMap(({ number }) => corpus.names(number).flatMap((name) => name.words))
  const spelt = typed.map((word, i) => {
    const unknownWord = unknown[i]
    if (!unknownWord || unknownWord.raw.length < 4) return word
    const closest = words
      .map(({ raw }) => ({ raw, fit: closeness(unknownWord.raw, raw, MISSPELT_LIKENESS) }))
      .reduce((best, candidate) => (candidate.fit > best.fit ? candidate : best), { raw: word, fit: 0 })
    return closest.raw
  })
  return spelt.every((word, i) => word === typed[i]) ? undefined : spelt.join(' ')
}
