import { isForEveryone } from '../../../base/visibility.ts'
import { type DocumentChange, isGone, type SearchDocument } from '../document.ts'
import { coarsenPoint, numberFromId } from '../index/columns.ts'
import { contentsOf } from '../index/contents.ts'
import { gramsOf, skeletonOf } from '../index/grams.ts'
import { nameKey } from '../index/header.ts'
import { facetLabel, parseFacetLabel } from '../index/links.ts'
import { ANY_VOICE, type Voice } from '../index/voice.ts'
import { splitWords } from '../index/words.ts'
import { geohash } from '../model/clusters.ts'
import { vocabularyFacets } from '../vocabulary.ts'
import type { Json } from './client.ts'

// How an index of the server stores documents. Words, weights, voices and tags are ours (`contentsOf`); the server only stores,
// filters and adds them up. So its answers need no analyser of its own, and no weight depends on other documents.

/** Open ends of years, as numbers that JSON has. */
export const NEVER = 1e9
/** The lengths of the geohashes that the map counts by. */
export const cellLengths = [1, 2, 3, 4, 5, 6, 7] as const

/**
 * The name of the rank feature (OpenSearch) of a term in words of a voice. Without a voice, that feature holds the greatest weight of the
 * term in words of any voice.
 */
export const featureOf = (term: string, voice: Voice = ANY_VOICE): string =>
  (voice === ANY_VOICE ? term : `${term}|${voice}`).replaceAll('.', '·')

const keyword = { type: 'keyword' }
const number = { type: 'double' }
const flag = { type: 'boolean' }
const date = { type: 'date' }
const byName = (names: readonly (string | number)[], type: Json) => ({
  properties: Object.fromEntries(names.map((name) => [name, type])),
})

/** Settings and fields of a new index. Changes are found after half a second at most. */
export const indexLayout = (): Json => ({
  settings: {
    index: {
      number_of_shards: 1,
      auto_expand_replicas: '0-1',
      refresh_interval: '500ms',
      max_result_window: 50_000,
      'mapping.total_fields.limit': 2000,
    },
  },
  mappings: {
    dynamic: false,
    _source: { includes: ['document'] },
    properties: {
      ...{ alive: flag, published: flag, open: flag, approximate: flag },
      ...{ resource: keyword, status: keyword, contributor: keyword, headings: keyword },
      facet: byName(vocabularyFacets(), keyword),
      value: byName(vocabularyFacets(), keyword),
      link: byName(vocabularyFacets(), keyword),
      ...{ title: keyword, name_key: keyword, order: number, created: date, updated: date },
      ...{ popularity: { type: 'rank_feature' }, popularity_score: number },
      ...{ point: { type: 'geo_point' }, lat: number, lng: number, cell: byName(cellLengths, keyword) },
      ...{ from: number, to: number },
      ...{ by_name: { type: 'rank_features' }, by_text: { type: 'rank_features' } },
      ...{ terms: keyword, words: keyword, grams: keyword, skeletons: keyword },
      passages: { type: 'wildcard', doc_values: true },
    },
  },
})

/** The lines of a bulk request that write these changes to an index. An older version than that of the server is refused. */
export function bulkLines(index: string, changes: readonly DocumentChange[]): string[] {
  return changes.flatMap((change) => [
    JSON.stringify({ index: { _index: index, _id: change.id, version: change.version, version_type: 'external' } }),
    // A removed document leaves an entry with its version, so that a late, older change does not bring it back.
    JSON.stringify(isGone(change) ? { alive: false } : storedForm(change)),
  ])
}

function storedForm(document: SearchDocument): Json {
  const point = coarsenPoint(document)
  const { years } = document
  return {
    document,
    alive: true,
    published: document.is_published,
    open: isForEveryone(document.access_tier),
    resource: document.resource,
    ...(document.status !== null && { status: document.status }),
    ...(document.contributor_id !== null && { contributor: document.contributor_id }),
    headings: Object.entries(document.headings ?? {}).map(([name, value]) => `${name}=${value}`),
    ...facetFields(document),
    title: document.title.toLowerCase().slice(0, MOST_TITLE),
    name_key: nameKey(document.title).slice(0, MOST_TITLE),
    order: numberFromId(document.id),
    created: document.created_at,
    updated: document.updated_at,
    popularity_score: document.popularity_score,
    ...(document.popularity_score > 0 && { popularity: document.popularity_score }),
    ...(point && {
      ...{ point: { lat: point.lat, lon: point.lng }, lat: point.lat, lng: point.lng },
      cell: Object.fromEntries(cellLengths.map((length) => [length, geohash(point.lat, point.lng, length)])),
    }),
    ...(years && { from: years.from ?? -NEVER, to: years.to ?? NEVER, approximate: years.approximate }),
    ...wordFields(document),
    passages: passagesOf(document),
  }
}

const MOST_TITLE = 200

/** For each facet: the label that is counted, its words, and the record that it links to. */
function facetFields(document: SearchDocument): Json {
  const labels = vocabularyFacets().flatMap((facet) => {
    const label = facetLabel(document, facet)
    return label === '' ? [] : [[facet, label, parseFacetLabel(label)] as const]
  })
  return {
    facet: Object.fromEntries(labels.map(([facet, label]) => [facet, label])),
    value: Object.fromEntries(labels.map(([facet, , { words }]) => [facet, words.toLowerCase()])),
    link: Object.fromEntries(labels.flatMap(([facet, , { id }]) => (id === undefined ? [] : [[facet, id] as const]))),
  }
}

function wordFields(document: SearchDocument): Json {
  const { impacts, raws, terms } = contentsOf(document)
  const [byName, byText] = [new Map<string, number>(), new Map<string, number>()]
  const raise = (weights: Map<string, number>, feature: string, weight: number) => {
    if ((weights.get(feature) ?? 0) < weight) weights.set(feature, weight)
  }
  for (const { term, voice, name, text } of impacts) {
    for (const feature of new Set([featureOf(term), featureOf(term, voice)])) {
      raise(byName, feature, name)
      raise(byText, feature, text)
    }
  }
  const named = [document.title, ...document.names].flatMap(splitWords)
  return {
    by_name: Object.fromEntries(byName),
    by_text: Object.fromEntries(byText),
    terms: [...byName.keys()],
    words: [...raws],
    grams: [...new Set(named.flatMap(({ raw, term }) => [...gramsOf(raw), ...gramsOf(term)]))],
    skeletons: [...new Set([...terms].flatMap((term) => (/^[#@~=]/.test(term) ? [] : (skeletonOf(term) ?? []))))],
  }
}

/**
 * The letters of a passage, and the letters that neighbouring passages share. A literal question has at most `SHARED` letters, so one
 * passage holds all of it.
 */
const PASSAGE = 8000
const SHARED = 200

/** All searched texts of a document in lower case, in parts that the server can hold. */
const passagesOf = ({ title, names, summary, text }: SearchDocument): string[] =>
  [title, ...names, summary, text].flatMap((part) => {
    const letters = part.normalize('NFC').toLowerCase()
    const count = Math.max(1, Math.ceil((letters.length - SHARED) / (PASSAGE - SHARED)))
    return Array.from({ length: count }, (_, i) =>
      letters.slice(i * (PASSAGE - SHARED), i * (PASSAGE - SHARED) + PASSAGE),
    )
  })
