import { distanceInMetres } from '../../matching/index.ts'
import { eachPosting, intersect } from '../index/codec.ts'
import { conceptOf } from '../index/tags.ts'
import { sortTerms, type Word } from '../index/words.ts'
import type { Corpus } from './corpus.ts'
import { type Filters, makeFilter } from './filters.ts'
import type { QuestionMatches } from './rank.ts'
import { compareScores, type RankedDocument } from './sort.ts'

/** The most metres between records of one name that are one thing. A record without a point counts as near. */
const MOST_APART = 1000
/** The most records of one thing that are looked for. */
const MOST_RECORDS = 8

/**
 * The other documents that look like records of the same thing. One of their names has the same telling words as the title of this
 * document, apart from words for sorts. Empty if the title has no other words: "Stone Temple" may be anywhere.
 */
export function recordsOfSameThing(corpus: Corpus, number: number, admits: (number: number) => boolean): number[] {
  const [title] = corpus.names(number)
  const [first, ...others] = title ? termsOf(title.words) : []
  if (first === undefined) return []
  let lists = corpus.postings(first)
  for (const term of others) {
    const more = corpus.postings(term)
    lists = lists.flatMap((list) => more.map((each) => intersect(list, each)))
  }
  const key = [first, ...others].join(' ')
  const found: number[] = []
  for (const list of lists)
    eachPosting(list, (other) => {
      const isSame = () =>
        corpus.names(other).some(({ words }) => termsOf(words).join(' ') === key) && areNear(corpus, number, other)
      if (found.length < MOST_RECORDS && other !== number && admits(other) && isSame()) found.push(other)
    })
  return found
}

/** Only an answer of at most this many documents is completed. */
const FEW = 4
/** Another record of the same thing gets this share of a document's scores. */
const SAME_THING = 0.9

/**
 * Completes an answer of few documents with the other records of the same things. Often only one record of a thing says what a question
 * asks for. An added record scores less than the record that it resembles.
 */
export function completeFew(
  corpus: Corpus,
  filters: Filters,
  matches: QuestionMatches,
  ranking: readonly RankedDocument[],
): { matches: QuestionMatches; ranking: RankedDocument[] } {
  const { numbers, scores, texts, held } = matches
  if (numbers.length === 0 || numbers.length > FEW) return { matches, ranking: [...ranking] }
  const admits = makeFilter(corpus, filters)
  const all = [...ranking]
  const from: number[] = []
  for (const { number, score } of ranking)
    for (const other of recordsOfSameThing(corpus, number, admits)) {
      if (all.some((it) => it.number === other)) continue
      all.push({ number: other, score: score * SAME_THING, likeness: 0 })
      from.push(numbers.indexOf(number))
    }
  const append = (list: Float32Array, share: number) =>
    Float32Array.from([...list, ...from.map((at) => (list[at] ?? 0) * share)])
  const completed = {
    ...matches,
    numbers: Uint32Array.from([...numbers, ...all.slice(ranking.length).map(({ number }) => number)]),
    scores: append(scores, SAME_THING),
    texts: append(texts, SAME_THING),
    held: Uint32Array.from([...held, ...from.map((at) => held[at] ?? 0)]),
  }
  return { matches: completed, ranking: all.sort(compareScores(corpus)) }
}

/** The telling words of a name, without those that name a sort of thing. */
const termsOf = (words: readonly Word[]): string[] =>
  words.flatMap(({ term, aside }) => (aside || isSort(term) ? [] : [term])).sort()
const isSort = (term: string): boolean => sortTerms().has(term) || conceptOf(term)?.as === 'sort'

function areNear({ columns: { lat, lng } }: Corpus, one: number, other: number): boolean {
  const pointOf = (number: number) => ({ lat: lat[number] ?? Number.NaN, lng: lng[number] ?? Number.NaN })
  // Without a point the distance is NaN, and a comparison with NaN is false. So such a document counts as near.
  return !(distanceInMetres(pointOf(one), pointOf(other)) > MOST_APART)
}
