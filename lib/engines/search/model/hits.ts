import { distanceInMetres } from '../../matching/index.ts'
import type { SearchDocument } from '../document.ts'
import { coarsenPoint, tallyFor } from '../index/columns.ts'
import { isDevanagari } from '../index/header.ts'
import type { Hit, Interpreted, SearchQuery, SearchResult } from '../query.ts'
import { loadedVocabulary } from '../vocabulary.ts'
import type { Corpus } from './corpus.ts'
import { isCertain } from './facets.ts'
import { labelReader } from './filters.ts'
import { closeness } from './likeness.ts'
import type { WeightedWord } from './lookup.ts'
import { countsInText } from './lookup.ts'
import type { QuestionMatches } from './rank.ts'
import { snippetFinder } from './snippet.ts'

export const makeHit = (corpus: Corpus, number: number, score: number): Hit => ({
  ...headerOf(corpus.document(number)),
  score: Math.round(Math.min(1, score) * 1e6) / 1e6,
})

type Header = Omit<Hit, 'score'>
/** The shown members of documents in memory. Leaving out the others takes longer than all else that a hit needs. */
const headers = new WeakMap<SearchDocument, Header>()

function headerOf(it: SearchDocument): Header {
  const known = headers.get(it)
  if (known) return known
  const { version: _, text: __, links: ___, ...others } = it
  const header = { ...others, point: coarsenPoint(it) }
  headers.set(it, header)
  return header
}

/**
 * Makes hits in which a linked place has its current name. With `near` they have a `distance`, with `years` a `when`.
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

/** Makes the hits of a page, with snippets if the query asks for them. */
export function makeHits(corpus: Corpus, ask: SearchQuery, found: QuestionMatches, page: readonly Place[]): Hit[] {
  const placed = hitMaker(corpus, ask)
  const shown = page.map(({ number, score }) => placed(number, score))
  if (!ask.snippets || found.wanted.length === 0) return shown
  const snippetOf = snippetFinder(found.wanted, isDevanagari(ask.text))
  return shown.map((hit, i) => {
    const { text } = corpus.document(page[i]?.number ?? 0)
    const snippet = snippetOf([hit.summary, ...text.split('\n'), ...hit.names])
    return snippet === undefined ? hit : { ...hit, snippet }
  })
}
type Place = { number: number; score: number }

type Explanation = Pick<SearchResult, 'interpreted' | 'left_out' | 'did_you_mean'>

/**
 * Says how the question was understood, which of its words nothing holds, and how it may have been meant to be spelt.
 */
export function explainAnswer(
  corpus: Corpus,
  ask: SearchQuery,
  found: QuestionMatches,
  page: readonly { number: number }[],
): Explanation {
  const { wanted, concepts, held, numbers } = found
  if (numbers.length === 0 || wanted.length === 0) return {}
  const typed = typedWords(ask.text, wanted)
  const all = held.reduce((bits, it) => bits | it, 0)
  const left = typed.filter((_, i) => (all & (1 << i)) === 0 && wanted[i] && countsInText(wanted[i]))
  const interpreted = concepts.map(
    ({ from, to, concept }): Interpreted => ({
      text: typed.slice(from, to + 1).join(' '),
      as: concept.as,
      value: concept.label,
    }),
  )
  const tally = tallyFor(ask.scope)
  const known = ({ raw, term }: WeightedWord) =>
    corpus.words.count(raw, tally) > 0 || corpus.terms.count(term, tally) > 0
  const asked = wanted.map((it) => (known(it) || it.aside ? undefined : it))
  const meant = betterSpelling(corpus, typed, asked, page)
  return {
    ...(interpreted.length > 0 && { interpreted }),
    ...(left.length > 0 && { left_out: left }),
    ...(meant && { did_you_mean: meant }),
  }
}

/** The words as typed. If they are not as many as the words that were looked for, these are shown instead. */
function typedWords(text: string, wanted: readonly WeightedWord[]): string[] {
  const words = [...new Set(text.match(/[\p{L}\p{M}\p{N}]+/gu) ?? [])]
  return words.length === wanted.length ? words : wanted.map(({ raw }) => raw)
}

/** From this likeness on, two words are the same word, misspelt. */
const ALIKE = 0.6
const LOOKED_AT = 3

/** The question with each unknown word spelt as in the best hits; undefined if that changes nothing. */
function betterSpelling(
  corpus: Corpus,
  typed: readonly string[],
  unknown: readonly (WeightedWord | undefined)[],
  page: readonly { number: number }[],
): string | undefined {
  const words = page.slice(0, LOOKED_AT).flatMap(({ number }) => corpus.names(number).flatMap((name) => name.words))
  const spelt = typed.map((word, i) => {
    const it = unknown[i]
    if (!it || it.raw.length < 4) return word
    const alike = words
      .map(({ raw }) => ({ raw, fit: closeness(it.raw, raw, ALIKE) }))
      .reduce((best, each) => (each.fit > best.fit ? each : best), { raw: word, fit: 0 })
    return alike.raw
  })
  return spelt.every((word, i) => word === typed[i]) ? undefined : spelt.join(' ')
}
