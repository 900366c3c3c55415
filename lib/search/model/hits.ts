import { metres } from '../../matching/geo.ts'
import type { Document } from '../document.ts'
import { pointFor, sightOf } from '../index/columns.ts'
import { isDevanagari } from '../index/header.ts'
import type { Hit, Interpreted, SearchQuery, SearchResult } from '../query.ts'
import type { Wanted } from './choices.ts'
import type { Corpus } from './corpus.ts'
import { isCertain } from './facets.ts'
import { labelReader } from './filters.ts'
import { closeness } from './likeness.ts'
import { tellsOfText } from './lookup.ts'
import type { Found } from './rank.ts'
import { snippets } from './snippet.ts'

/** A document as a result. */
export const hitOf = (corpus: Corpus, number: number, score: number): Hit => ({
  ...headerOf(corpus.document(number)),
  score: Math.round(Math.min(1, score) * 1e6) / 1e6,
})

type Header = Omit<Hit, 'score'>
/** What is shown of documents that are in memory: to leave members out takes longer than all else that is done for a result. */
const headers = new WeakMap<Document, Header>()

function headerOf(it: Document): Header {
  const known = headers.get(it)
  if (known) return known
  const { version: _, text: __, links: ___, ...others } = it
  const header = { ...others, point: pointFor(it) }
  headers.set(it, header)
  return header
}

/** Makes documents results of a question, with how far they are and whether their years fit for sure, where that was asked. */
export function placing(corpus: Corpus, { scope, near, years }: SearchQuery) {
  const { columns, labels } = corpus
  const read = labelReader(corpus, scope)
  return (number: number, score = 0): Hit => {
    const hit = hitOf(corpus, number, score)
    const [written, ...others] = hit.values?.place ?? []
    const linked = read(labels.place.texts[columns.place[number] ?? 0] ?? '')
    if (linked !== '' && linked !== written) hit.values = { ...hit.values, place: [linked, ...others] }
    if (near && hit.point) hit.distance = Math.round(metres(near, hit.point)) / 1000
    if (years) hit.when = isCertain(columns, number, years) ? 'certain' : 'possible'
    return hit
  }
}

/** The same of a page, with snippets of the fields that answer where these are asked for. */
export function shownHits(corpus: Corpus, ask: SearchQuery, found: Found, page: readonly Place[]): Hit[] {
  const placed = placing(corpus, ask)
  const shown = page.map(({ number, score }) => placed(number, score))
  if (!ask.snippets || found.wanted.length === 0) return shown
  const snippetOf = snippets(found.wanted, isDevanagari(ask.text))
  return shown.map((hit, i) => {
    const { text } = corpus.document(page[i]?.number ?? 0)
    const snippet = snippetOf([hit.summary, ...text.split('\n'), ...hit.names])
    return snippet === undefined ? hit : { ...hit, snippet }
  })
}
type Place = { number: number; score: number }

type Told = Pick<SearchResult, 'interpreted' | 'left_out' | 'did_you_mean'>

/** What is told about a question: how it was understood, what of it nothing holds, and what it may have meant. */
export function toldOf(corpus: Corpus, ask: SearchQuery, found: Found, page: readonly { number: number }[]): Told {
  const { wanted, concepts, held, numbers } = found
  if (numbers.length === 0 || wanted.length === 0) return {}
  const typed = typedWords(ask.text, wanted)
  const all = held.reduce((bits, it) => bits | it, 0)
  const left = typed.filter((_, i) => (all & (1 << i)) === 0 && wanted[i] && tellsOfText(wanted[i]))
  const interpreted = concepts.map(
    ({ from, to, concept }): Interpreted => ({
      text: typed.slice(from, to + 1).join(' '),
      as: concept.as,
      value: concept.label,
    }),
  )
  const sight = sightOf(ask.scope)
  const known = ({ raw, term }: Wanted) => corpus.words.count(raw, sight) > 0 || corpus.terms.count(term, sight) > 0
  const asked = wanted.map((it) => (known(it) || it.aside ? undefined : it))
  const meant = meantBy(corpus, typed, asked, page)
  return {
    ...(interpreted.length > 0 && { interpreted }),
    ...(left.length > 0 && { left_out: left }),
    ...(meant && { did_you_mean: meant }),
  }
}

/** The words of a question as they were typed, where they are as many as were looked for. */
function typedWords(text: string, wanted: readonly Wanted[]): string[] {
  const words = [...new Set(text.match(/[\p{L}\p{M}\p{N}]+/gu) ?? [])]
  return words.length === wanted.length ? words : wanted.map(({ raw }) => raw)
}

/** Words so much alike are one word misspelt. */
const ALIKE = 0.6
const LOOKED_AT = 3

/** The question with each word that stands nowhere as the best hits spell it; undefined where there is none. */
function meantBy(
  corpus: Corpus,
  typed: readonly string[],
  unknown: readonly (Wanted | undefined)[],
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
