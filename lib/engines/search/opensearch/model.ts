import * as v from 'valibot'
import { config } from '../../../base/config.ts'
import { cut, plainWords } from '../../matching/index.ts'
import type { SearchDocument } from '../document.ts'
import { parseFacetLabel } from '../index/links.ts'
import { nameTerm } from '../index/names.ts'
import { splitWords } from '../index/words.ts'
import type { Corpus } from '../model/corpus.ts'
import { type Answer, answerQuestion, createModel, showAnswer } from '../model/engine.ts'
import { mostCommon } from '../model/facets.ts'
import { labelReader } from '../model/filters.ts'
import { hitMaker } from '../model/hits.ts'
import { sortByColumn } from '../model/sort.ts'
import type { Facets, Hit, LiteralQuery, MapResult, Model, SearchQuery, SearchResult, SuggestQuery } from '../query.ts'
import { loadedVocabulary, loadVocabulary, vocabularyFacets } from '../vocabulary.ts'
import { type Behind, readBehind } from './behind.ts'
import { corpusOf, gatherCandidates } from './candidates.ts'
import { askServer, type Json, type Page } from './client.ts'
import { readFilters } from './excluded.ts'
import { all, bestFirst, certainFilter, filtersOf, nearestFirst, orderOf, scopeFilter } from './filters.ts'
import { cellLengths } from './layout.ts'
import { scoreClauses, textFilter } from './words.ts'

/**
 * How many documents our engine ranks. If the server finds no more, the whole answer comes from our engine. Otherwise the server counts,
 * and orders the documents behind these.
 */
const COMPARED = 250
/** The most documents that one question brings, earlier pages included. */
const MOST_HITS = 10_000
/** The most labels of a facet that the server counts, before labels of the same name are added up. */
const MOST_LABELS = 300
/** The most points of a map, and the most cells of its grid. */
const MOST_POINTS = 5000
const MOST_CELLS = 1000

/** A model that answers from the server and the changes that it lacks. Questions fail with `unavailable` if the server does not answer. */
export async function serverModel(): Promise<Model> {
  const [behind] = await Promise.all([readBehind(), loadVocabulary()])
  return {
    search: (query) => search(query, behind),
    map: (query) => mapPoints(query, behind),
    suggest: (query) => suggest(query, behind),
    literal: (query) => findLiteral(query, behind),
    meanings: (texts, scope) => findMeanings(texts, scope, behind),
    document: (id, scope) => findDocument(id, scope, behind),
    state: behind.state,
  }
}

/** A question to the server, and the corpus over which it was read. */
type Question = { corpus: Corpus; answer: Answer; filter: Json; isRanked: boolean }

/** Reads a question over its candidates, and turns it into a query of the server. */
async function readForServer(query: SearchQuery, behind: Behind): Promise<Question> {
  const [corpus, titled] = await Promise.all([gatherCandidates(query.text, query, behind), titledAs(query, behind)])
  const answer = answerQuestion(corpus, config.SEARCH_WEIGHTS, query, COMPARED)
  const { asked, matches, reading } = answer
  const withheld = behind.changes.map(({ id }) => id)
  const hasWords = matches.queryWords.length > 0
  const filters = [
    filtersOf(asked, withheld, titled),
    ...readFilters(corpus, query.scope, reading.interpreted),
    ...(hasWords ? [textFilter(corpus, matches)] : []),
  ]
  const sort = asked.sort ?? 'relevance'
  return { corpus, answer, filter: all(...filters), isRanked: hasWords && sort === 'relevance' }
}

async function search(query: SearchQuery, behind: Behind): Promise<SearchResult> {
  const { offset = 0, limit, facets } = query
  const { corpus, answer, filter, isRanked } = await readForServer(query, behind)
  const { asked, reading, matches } = answer
  if (isAnsweredHere(query, answer)) return showAnswer(corpus, query, answer, behind.state)
  const size = Math.min(MOST_HITS, Math.max(COMPARED, offset + limit))
  const scored = { bool: { filter: [filter], should: scoreClauses(corpus, config.SEARCH_WEIGHTS, matches) } }
  const main = {
    size,
    query: isRanked ? scored : filter,
    sort: isRanked ? bestFirst : orderOf(asked.sort ?? 'relevance', asked.near),
    ...(facets && { aggs: facetCounts(asked) }),
  }
  const arranged =
    isRanked && reading.order ? [{ size: COMPARED, query: filter, sort: arrangedBy(asked, reading.order) }] : []
  const [page, ...others] = await askServer([main, ...arranged])
  if (!page) return { count: 0, hits: [], state: behind.state }
  const compared = [page, ...others].flatMap(({ found }) => found.slice(0, COMPARED).map(({ document }) => document))
  for (const document of compared) corpus.apply(document)
  await addLinked(corpus, compared, page.counts, query, behind)
  const again = answerQuestion(corpus, config.SEARCH_WEIGHTS, query, COMPARED)
  if (page.total <= COMPARED) return showAnswer(corpus, query, again, behind.state)
  return combine(corpus, query, again, page, behind.state)
}

/** Whether the candidates hold the whole answer, as for an identifier, or for words that no document holds. */
const isAnsweredHere = ({ text }: SearchQuery, { asked, matches, reading }: Answer): boolean =>
  reading.isHopeless || (text.trim() !== '' && asked.text.trim() !== '' && matches.least === undefined)

const arrangedBy = ({ near }: SearchQuery, order: 'oldest' | 'newest' | 'distance'): readonly Json[] => {
  if (order === 'distance') return near ? [nearestFirst(near)] : []
  return order === 'oldest'
    ? [{ from: { order: 'asc', missing: '_last' } }]
    : [{ to: { order: 'desc', missing: '_last' } }]
}

/** The page of a large answer: first what our engine has ranked, then the rest in the order of the server, which also counts. */
function combine(corpus: Corpus, query: SearchQuery, answer: Answer, page: Page, state: string): SearchResult {
  const { offset = 0, limit, snippets, facets, scope } = query
  const { asked, matches } = answer
  const ranked = (answer.ranking ?? sortByColumn(corpus, asked, matches.numbers, COMPARED)).slice(0, COMPARED)
  const first = showAnswer(
    corpus,
    { ...query, offset: 0, limit: COMPARED, facets: false, snippets },
    { ...answer, ranking: ranked },
    state,
  )
  const ids = new Set(ranked.map(({ number }) => corpus.document(number).id))
  const rest = page.found.filter(({ document }) => !ids.has(document.id)).map(({ document }) => document)
  const place = Math.max(0, offset - ranked.length)
  const shown = rest.slice(place, place + Math.max(0, limit - Math.max(0, ranked.length - offset)))
  const read = labelReader(corpus, scope)
  return {
    ...first,
    count: page.total,
    hits: [...first.hits.slice(offset, offset + limit), ...hitsOf(corpus, asked, shown)],
    ...(facets && { facets: facetsOf(page.counts, read, asked, page.total) }),
  }
}

/** Documents as hits. They are added to the corpus first, since hits are made from it. */
function hitsOf(corpus: Corpus, query: SearchQuery, documents: readonly SearchDocument[]): Hit[] {
  for (const document of documents) corpus.apply(document)
  const hitOf = hitMaker(corpus, query)
  return documents.flatMap(({ id }) => {
    const number = corpus.find(id)
    return number === undefined ? [] : [hitOf(number)]
  })
}

/** Adds to the corpus the records that facet values link to, so that labels show their present titles. One call if any is missing. */
async function addLinked(
  corpus: Corpus,
  documents: readonly SearchDocument[],
  counts: Json,
  { scope }: SearchQuery,
  behind: Behind,
): Promise<void> {
  const { placeFacet } = loadedVocabulary()
  const labels = vocabularyFacets().flatMap((facet) => bucketsOf(counts[`facet ${facet}`]).map(({ key }) => key))
  const links = documents.flatMap(({ links = [] }) =>
    links.flatMap(({ id, facet }) => (facet === placeFacet ? [id] : [])),
  )
  const ids = new Set([...labels.flatMap((label) => parseFacetLabel(label).id ?? []), ...links])
  const missing = [...ids].filter((id) => corpus.find(id) === undefined).slice(0, 1000)
  if (missing.length === 0) return
  const withheld = new Set(behind.changes.map(({ id }) => id))
  const wanted = missing.filter((id) => !withheld.has(id))
  const [page] = await askServer([{ size: wanted.length, query: all(scopeFilter(scope), { ids: { values: wanted } }) }])
  for (const { document } of page?.found ?? []) corpus.apply(document)
}

/** The ids of the records whose present title is one of the values asked for, by facet. */
async function titledAs({ values = {}, scope }: SearchQuery, behind: Behind): Promise<Record<string, string[]>> {
  const asked = Object.entries(values).flatMap(([facet, accepted]) => (accepted ? [[facet, accepted] as const] : []))
  if (asked.length === 0) return {}
  const pages = await askServer(
    asked.map(([, accepted]) => ({
      size: 200,
      query: all(scopeFilter(scope), { terms: { title: accepted.map((it) => it.toLowerCase()) } }),
    })),
  )
  const isTitled = (title: string, accepted: readonly string[]) =>
    accepted.some((it) => it.toLowerCase() === title.toLowerCase())
  const behindTitled = (accepted: readonly string[]) =>
    behind.changes.flatMap((it) => ('title' in it && isTitled(it.title, accepted) ? [it.id] : []))
  return Object.fromEntries(
    asked.map(([facet, accepted], i) => [
      facet,
      [...(pages[i]?.found.map(({ document }) => document.id) ?? []), ...behindTitled(accepted)],
    ]),
  )
}

const facetCounts = ({ years }: SearchQuery): Json => ({
  resource: { terms: { field: 'resource', size: MOST_LABELS } },
  status: { terms: { field: 'status', size: MOST_LABELS } },
  ...Object.fromEntries(
    vocabularyFacets().map((facet) => [`facet ${facet}`, { terms: { field: `facet.${facet}`, size: MOST_LABELS } }]),
  ),
  ...(years && { certain: { filter: certainFilter(years) } }),
})

const Buckets = v.object({ buckets: v.array(v.object({ key: v.string(), doc_count: v.number() })) })
const bucketsOf = (counts: unknown) => (counts === undefined ? [] : v.parse(Buckets, counts).buckets)
const Count = v.object({ doc_count: v.number() })

function facetsOf(counts: Json, read: (label: string) => string, { years }: SearchQuery, total: number): Facets {
  const named = (name: string) =>
    mostCommon(bucketsOf(counts[name]).map(({ key, doc_count }) => [read(key), doc_count]))
  const others = vocabularyFacets().map((facet) => [facet, named(`facet ${facet}`)] as const)
  const certain = years ? v.parse(Count, counts.certain).doc_count : 0
  return {
    resource: named('resource'),
    status: named('status'),
    ...Object.fromEntries(others.filter(([, values]) => Object.keys(values).length > 0)),
    ...(years && { when: { certain, possible: total - certain } }),
  }
}

async function mapPoints(query: SearchQuery, behind: Behind): Promise<MapResult> {
  const { corpus, answer, filter } = await readForServer(query, behind)
  const local = () => createModel(corpus, config.SEARCH_WEIGHTS, () => behind.state).map(query)
  if (isAnsweredHere(query, answer)) return local()
  const placed = all(filter, { exists: { field: 'lat' } })
  const cells = cellLengths.map((length) => [`${length}`, { cardinality: { field: `cell.${length}` } }] as const)
  const [page, points] = await askServer([
    { size: COMPARED, query: filter },
    { size: 0, query: placed, aggs: Object.fromEntries(cells) },
  ])
  const total = page?.total ?? 0
  const count = points?.total ?? 0
  if (total <= COMPARED) {
    for (const { document } of page?.found ?? []) corpus.apply(document)
    await addLinked(corpus, page?.found.map(({ document }) => document) ?? [], {}, query, behind)
    return local()
  }
  if (count <= MOST_POINTS) {
    const [all] = await askServer([{ size: MOST_POINTS, query: placed, sort: [{ order: 'asc' }] }])
    const documents = all?.found.map(({ document }) => document) ?? []
    await addLinked(corpus, documents, {}, query, behind)
    return { count: total, points: hitsOf(corpus, answer.asked, documents), clusters: [], state: behind.state }
  }
  const sizes = Object.entries(points?.counts ?? {}).map(
    ([length, it]) => [Number(length), v.parse(Cardinality, it).value] as const,
  )
  const length = Math.max(1, ...sizes.filter(([, size]) => size <= MOST_CELLS).map(([length]) => length))
  const means = { lat: { avg: { field: 'lat' } }, lng: { avg: { field: 'lng' } } }
  const grid = { cells: { terms: { field: `cell.${length}`, size: MOST_CELLS }, aggs: means } }
  const [counted] = await askServer([{ size: 0, query: placed, aggs: grid }])
  const clusters = v
    .parse(Cells, counted?.counts.cells)
    .buckets.map(({ key, doc_count, lat, lng }) => ({ geohash: key, count: doc_count, lat: lat.value, lng: lng.value }))
    .sort((a, b) => (a.geohash < b.geohash ? -1 : 1))
  return { count: total, points: [], clusters, state: behind.state }
}
const Cardinality = v.object({ value: v.number() })
const Mean = v.object({ value: v.number() })
const Cells = v.object({ buckets: v.array(v.object({ key: v.string(), doc_count: v.number(), lat: Mean, lng: Mean })) })

async function suggest(query: SuggestQuery, behind: Behind): Promise<Hit[]> {
  const { text, scope, resources } = query
  const corpus = await gatherCandidates(text, { scope, resources }, behind)
  return createModel(corpus, config.SEARCH_WEIGHTS, () => behind.state).suggest(query)
}

/** Finds documents in which a text stands as it was typed: the server looks into their passages. One call, or two without `resources`. */
async function findLiteral(query: LiteralQuery, behind: Behind): Promise<Map<string, Hit[]>> {
  const { text, scope, resources, published, limit } = query
  const needle = cut(text.trim().normalize('NFC').toLowerCase(), 200)
  if (plainWords(needle).length === 0) return new Map()
  const filters = filtersOf(
    { scope, resources, published },
    behind.changes.map(({ id }) => id),
  )
  const holds = { wildcard: { passages: { value: `*${needle.replace(/[\\*?]/g, '\\$&')}*` } } }
  const groups = resources ?? (await resourcesOf(all(filters, holds)))
  if (groups.length === 0) return new Map()
  const pages = await askServer(
    groups.map((resource) => ({
      size: Math.min(MOST_HITS, limit),
      query: all(filters, holds, { term: { resource } }),
      sort: orderOf('-created', undefined),
    })),
  )
  const corpus = await corpusOf(
    pages.flatMap(({ found }) => found.map(({ document }) => document)),
    behind,
  )
  return createModel(corpus, config.SEARCH_WEIGHTS, () => behind.state).literal(query)
}

async function resourcesOf(query: Json): Promise<string[]> {
  const [page] = await askServer([{ size: 0, query, aggs: { resource: { terms: { field: 'resource', size: 100 } } } }])
  return bucketsOf(page?.counts.resource).map(({ key }) => key)
}

/** The most documents that texts may name. */
const MOST_NAMED = 1000

async function findMeanings(texts: readonly string[], scope: SearchQuery['scope'], behind: Behind) {
  const names = texts.flatMap((text) => {
    const terms = splitWords(cut(text, 200)).map(({ term }) => term)
    return terms.length > 0 && terms.length <= 4 ? [nameTerm(terms.join(' '))] : []
  })
  const [page] =
    names.length === 0
      ? []
      : await askServer([
          { size: MOST_NAMED, query: all(scopeFilter(scope), { terms: { terms: names } }), sort: [{ order: 'asc' }] },
        ])
  const corpus = await corpusOf(page?.found.map(({ document }) => document) ?? [], behind)
  return createModel(corpus, config.SEARCH_WEIGHTS, () => behind.state).meanings(texts, scope)
}

async function findDocument(id: string, scope: SearchQuery['scope'], behind: Behind): Promise<Hit | undefined> {
  const [page] = await askServer([{ size: 1, query: all(scopeFilter(scope), { ids: { values: [id] } }) }])
  const corpus = await corpusOf(page?.found.map(({ document }) => document) ?? [], behind)
  return createModel(corpus, config.SEARCH_WEIGHTS, () => behind.state).document(id, scope)
}
