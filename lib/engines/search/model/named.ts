import type { Scope } from '../../../base/visibility.ts'
import { cut, distanceInMetres } from '../../matching/index.ts'
import { eachPosting, intersect, PostingList, type Postings } from '../index/codec.ts'
import { tallyFor } from '../index/columns.ts'
import { TAGGED } from '../index/contents.ts'
import { linkTerm } from '../index/links.ts'
import { conceptNames, conceptSource, nameTerm } from '../index/names.ts'
import { CERTAINTY, conceptOfPhrase, type FindNamed, findMentions } from '../index/tags.ts'
import { splitWords } from '../index/words.ts'
import type { Meaning } from '../query.ts'
import { type Concept, loadedVocabulary } from '../vocabulary.ts'
import type { Corpus } from './corpus.ts'
import { makeFilter } from './filters.ts'
import { learnedSort } from './learned.ts'

/** The most documents of one name that are one concept. */
const MOST_DOCUMENTS = 8
/** The reach of a place in kilometres, if no word of its name or type gives one. */
export const DEFAULT_REACH = 1

/**
 * Makes a function that finds the concept of a name: documents with this name that the caller may see, else a learned sort. If no document
 * has a name of several words, a look costs one test of the Bloom filter. The function remembers what it has found, so each question has
 * its own.
 */
export function namedFinder(corpus: Corpus, scope: Scope): FindNamed {
  const look = nameLooker(corpus, scope)
  const found = new Map<string, Concept | undefined>()
  return (terms) => {
    if (!found.has(terms)) found.set(terms, look(terms))
    return found.get(terms)
  }
}

function nameLooker(corpus: Corpus, scope: Scope): FindNamed {
  const tally = tallyFor(scope)
  let admits: ((number: number) => boolean) | undefined
  return (terms) => {
    const term = nameTerm(terms)
    if (corpus.terms.count(term, tally) === 0)
      return terms.includes(' ') ? undefined : learnedSort(corpus, terms, scope)
    admits ??= makeFilter(corpus, { scope })
    const numbers: number[] = []
    for (const list of corpus.postings(term))
      eachPosting(list, (number) => {
        if (numbers.length < MOST_DOCUMENTS && admits?.(number)) numbers.push(number)
      })
    return conceptOfDocuments(corpus, numbers)
  }
}

/** Makes one concept of the documents of one name. Those of another sort than the first are left out. */
function conceptOfDocuments(corpus: Corpus, numbers: readonly number[]): Concept | undefined {
  const [first] = numbers
  if (first === undefined) return undefined
  const document = corpus.document(first)
  const as = conceptSource(document.resource)?.as ?? ''
  const documents = numbers.filter((number) => conceptSource(corpus.document(number).resource)?.as === as)
  // "Lalitpur" may be the other name of a record that the vocabulary knows as Patan.
  const known = conceptNames(document)
    .map((terms) => conceptOfPhrase(terms.join(' '), as))
    .find((it) => it !== undefined)
  return known ? { ...known, documents } : { as, label: document.title, phrases: [], isName: true, documents }
}

/** Whether a concept is a place: it has an area, or documents of its sort are places. */
export const isPlace = ({ as, area }: Concept): boolean =>
  area !== undefined ||
  Object.values(loadedVocabulary().conceptsByResource ?? {}).some((it) => it.by === 'point' && it.as === as)

/** The reach of a place in kilometres: the largest that a word of its type or title gives. Undefined if no word gives one. */
export function reachOf(corpus: Corpus, number: number): number | undefined {
  const { reaches = {} } = loadedVocabulary()
  const { title, values } = corpus.document(number)
  const words = splitWords([...(values?.type ?? []).map((it) => it.replaceAll('_', ' ')), title].join(' '))
  const found = words.flatMap(({ raw }) => reaches[raw] ?? [])
  return found.length > 0 ? Math.max(...found) : undefined
}

/** The area around the point of a document. Undefined if it has none. */
export function areaOf(corpus: Corpus, number: number): Concept['area'] {
  const { lat, lng } = corpus.columns
  const at = { lat: lat[number] ?? Number.NaN, lng: lng[number] ?? Number.NaN }
  return Number.isNaN(at.lat) ? undefined : { at, reach: reachOf(corpus, number) ?? DEFAULT_REACH }
}

/** What a text names as a whole. Undefined if it names no concept, or only documents that the scope may not read. */
export function meaningOfText(corpus: Corpus, text: string, scope: Scope): Meaning | undefined {
  const words = splitWords(cut(text, LONGEST_TEXT))
  const [mention] = findMentions(words, namedFinder(corpus, scope))
  if (mention?.from !== 0 || mention.to !== words.length - 1) return undefined
  const { as, label, documents = [], area } = mention.concept
  const around =
    area ?? (isPlace(mention.concept) ? documents.map((it) => areaOf(corpus, it)).find(Boolean) : undefined)
  const ids = documents.map((number) => corpus.document(number).id)
  return { as, value: label, ids, ...(around && { area: around }) }
}
/** A longer text is no name. */
const LONGEST_TEXT = 200

/** The impact of a tag of this certainty. */
const impactOf = (certainty: number) => Math.round(TAGGED * certainty * 255)

/**
 * The documents that belong to a concept of documents. They contain one of its names, link to it, or lie around its point or within its
 * years. Each has the impact that a tag of the same certainty has, or less.
 */
export function belongingTo(corpus: Corpus, { documents = [], area }: Pick<Concept, 'documents' | 'area'>): Postings {
  const impacts = new Map<number, number>()
  const add = (number: number, impact: number) => {
    if ((impacts.get(number) ?? 0) < impact) impacts.set(number, impact)
  }
  for (const number of documents) {
    const document = corpus.document(number)
    for (const terms of conceptNames(document))
      for (const list of documentsWith(corpus, terms))
        eachPosting(list, (other, impact) => add(other, Math.min(impact, impactOf(CERTAINTY.name))))
    for (const list of corpus.postings(linkTerm(document.id)))
      eachPosting(list, (other) => add(other, impactOf(CERTAINTY.value)))
    const by = conceptSource(document.resource)?.by
    const certaintyOf =
      by === 'years' ? isWithinYearsOf(corpus, number) : area || by !== 'point' ? undefined : isAround(corpus, number)
    for (let other = 0; certaintyOf && other < corpus.columns.size; other += 1) {
      const certainty = certaintyOf(other)
      if (certainty > 0) add(other, impactOf(certainty))
    }
  }
  const list = new PostingList()
  for (const [number, impact] of [...impacts].sort(([a], [b]) => a - b)) list.push(number, impact, impact)
  return list.postings
}

/** The lists of documents that contain all these terms. */
export function documentsWith(corpus: Corpus, [first = '', ...others]: readonly string[]): Postings[] {
  let lists = corpus.postings(first)
  for (const term of others) {
    const more = corpus.postings(term)
    lists = lists.flatMap((list) => more.map((each) => intersect(list, each)))
  }
  return lists
}

/** How certain it is that a document belongs to a concept, from 0 to 1. */
type CertaintyOf = (number: number) => number

function isAround(corpus: Corpus, place: number): CertaintyOf | undefined {
  const { lat, lng } = corpus.columns
  const area = areaOf(corpus, place)
  if (!area) return undefined
  const { at, reach } = area
  const metres = reach * 1000
  const degrees = metres / 110_000
  return (number) =>
    Math.abs((lat[number] ?? Number.NaN) - at.lat) <= degrees &&
    distanceInMetres(at, { lat: lat[number] ?? 0, lng: lng[number] ?? 0 }) <= metres
      ? CERTAINTY.near
      : 0
}

/** Longer spans of years than this belong to no period. */
const MOST_YEARS = 150

/** The share of a document's years that must lie in a period to which it may belong. Example: "16th century", and a period from 1529 on. */
const LEAST_WITHIN = 0.5

function isWithinYearsOf(corpus: Corpus, period: number): CertaintyOf | undefined {
  const { from, to } = corpus.columns
  const [first = Number.NaN, last = Number.NaN] = [from[period], to[period]]
  if (!Number.isFinite(first) || !Number.isFinite(last)) return undefined
  return (number) => {
    const [begin = Number.NaN, end = Number.NaN] = [from[number], to[number]]
    if (!(end - begin <= MOST_YEARS)) return 0
    if (begin >= first && end <= last) return CERTAINTY.near
    const within = Math.min(end, last) - Math.max(begin, first) + 1
    return within >= (end - begin + 1) * LEAST_WITHIN ? CERTAINTY.opening * CERTAINTY.near : 0
  }
}
