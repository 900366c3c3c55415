import type { SearchQuery, SearchResult } from '../query.ts'
import { beforeIn, type Reading } from '../reading/read.ts'
import type { Corpus } from './corpus.ts'
import { isCertain } from './facets.ts'
import { type Filters, makeFilter } from './filters.ts'
import { documentsHolding } from './find.ts'
import type { QuestionMatches } from './rank.ts'
import { recordsOfSameThing } from './same-thing.ts'
import { compareScores, type RankedDocument } from './sort.ts'

/** The most documents that are arranged by the words of a question. The others follow by relevance. */
export const MOST_ARRANGED = 5000
/** The share of the best score from which on a document fits the question well. */
const GOOD_SHARE = 0.6
/** A better score is taken as this one. So a record called "Temple" does not keep other temples out of "oldest temple". */
const BEST_COUNTED = 0.5
/** The score that a document gains if it holds a superlative of the question, and again if its years are surely within those asked for. */
const GAIN = 0.45

/** If a document holds a superlative, other records of the same thing score at least this share of its score. */
const SAME_THING = 0.99
/** The most documents with a superlative for which other records of the same thing are looked for. */
const MOST_TOLD = 5

/** Whether a reading asks for another order than that of relevance. */
export const changesOrder = ({ order, years, extremes }: Reading): boolean =>
  order !== undefined || years !== undefined || extremes.length > 0

/**
 * Arranges documents as the words of a question ask: the nearest, the oldest or the newest first, among those that fit the question
 * well. A document that holds a superlative of the question ("largest"), or whose years are surely within those asked for, scores higher.
 */
export function arrange(
  corpus: Corpus,
  { scope }: SearchQuery & Filters,
  { order, near, itself, years, extremes }: Reading,
  { numbers }: QuestionMatches,
  ranking: readonly RankedDocument[] | undefined,
): RankedDocument[] {
  const ranked = ranking ?? Array.from(numbers, (number) => ({ number, score: 0, likeness: 0 }))
  const holding = documentsHolding(corpus, extremes, scope)
  const best = ranked.reduce((most, { score }) => Math.max(most, score), 0)
  const leastToGain = (extremes.length > 0 ? Math.min(BEST_COUNTED, best) : best) * GOOD_SHARE
  const gainOf = (number: number) =>
    GAIN * ((holding.get(number) ?? 0) + (years && isCertain(corpus.columns, number, years) ? 1 : 0))
  const gained = withSameThings(
    corpus,
    scope,
    holding,
    ranked.map((it) => (it.score < leastToGain ? it : { ...it, score: Math.min(1, it.score + gainOf(it.number)) })),
  ).sort(compareScores(corpus))
  if (!order) return gained
  const least = Math.min(BEST_COUNTED, gained[0]?.score ?? 0) * GOOD_SHARE
  const placeOf = beforeIn(corpus, order, near)
  const good = gained.filter(({ score }) => score >= least)
  // Who asks what is near a thing knows the thing: it comes after the others.
  const isItself = ({ number }: RankedDocument) => (order === 'distance' && itself?.has(number) ? 1 : 0)
  const compare = (a: RankedDocument, b: RankedDocument) => {
    if (isItself(a) !== isItself(b)) return isItself(a) - isItself(b)
    const [x, y] = [placeOf(a.number), placeOf(b.number)]
    return x === y ? 0 : x - y
  }
  return [...good.sort(compare), ...gained.filter(({ score }) => score < least)]
}

/**
 * Often only one of several records of a thing says that it is the largest. So other records of the best such things score nearly as much
 * as the record that says it.
 */
function withSameThings(
  corpus: Corpus,
  scope: SearchQuery['scope'],
  holding: ReadonlyMap<number, number>,
  gained: readonly RankedDocument[],
): RankedDocument[] {
  if (holding.size === 0) return [...gained]
  const admits = makeFilter(corpus, { scope })
  const told = gained.filter(({ number }) => holding.get(number) === 1).sort((a, b) => b.score - a.score)
  const least = new Map<number, number>()
  for (const { number, score } of told.slice(0, MOST_TOLD))
    for (const other of recordsOfSameThing(corpus, number, admits))
      least.set(other, Math.max(least.get(other) ?? 0, score * SAME_THING))
  return gained.map((it) => ({ ...it, score: Math.max(it.score, least.get(it.number) ?? 0) }))
}

/** Adds to the explanation of an answer what the grammar has read. */
export function withReading(
  explanation: Pick<SearchResult, 'interpreted' | 'left_out' | 'did_you_mean'>,
  reading: Reading,
): typeof explanation {
  const interpreted = [...(explanation.interpreted ?? []), ...reading.interpreted]
  const leftOut = [...(explanation.left_out ?? []), ...reading.leftOut]
  return {
    ...explanation,
    ...(interpreted.length > 0 && { interpreted }),
    ...(leftOut.length > 0 && { left_out: leftOut }),
  }
}
