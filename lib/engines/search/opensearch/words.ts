import { clock } from '../../../base/clock.ts'
import type { Weights } from '../../../base/config.ts'
import { TAGGED } from '../index/contents.ts'
import { linkTerm } from '../index/links.ts'
import { conceptNames, conceptSource } from '../index/names.ts'
import { CERTAINTY } from '../index/tags.ts'
import { ANY_VOICE, type Voice } from '../index/voice.ts'
import type { Corpus } from '../model/corpus.ts'
import type { Choice, WeightedWord } from '../model/lookup.ts'
import { areaOf } from '../model/named.ts'
import { NAME_FACTOR, type QuestionMatches, textShareOf } from '../model/rank.ts'
import type { Concept } from '../vocabulary.ts'
import type { Json } from './client.ts'
import { all, any, nearFilter } from './filters.ts'
import { featureOf } from './layout.ts'

// Turns the words of a question, which our engine has looked up, into filters and scores of the server.

/** The most choices of a word that add to the score. A document may match by any choice. */
const MOST_SCORED = 40
/** The most words for which every sufficient set of words is listed. */
const MOST_LISTED = 10

/** The rank features of a term in words that sound like this voice (`soundsApart`): the stops are equal, and the onsets overlap. */
function featuresOf(term: string, voice: Voice = ANY_VOICE): string[] {
  if (voice === ANY_VOICE) return [featureOf(term)]
  return [1, 2, 3].filter((onset) => (onset & voice & 3) !== 0).map((onset) => featureOf(term, (voice & ~3) | onset))
}

const termFilter = (term: string, voice?: Voice): Json => ({ terms: { terms: featuresOf(term, voice) } })

/** Documents that hold a word of the question in one of its choices. */
function wordFilter(corpus: Corpus, { choices, concept }: WeightedWord): Json {
  const single = choices.flatMap(({ terms, voice, postings }) =>
    terms.length === 1 && !postings ? featuresOf(terms[0] ?? '', voice) : [],
  )
  return any([
    ...(single.length > 0 ? [{ terms: { terms: [...new Set(single)] } }] : []),
    ...choices.flatMap((choice) =>
      choice.terms.length > 1 ? [all(...choice.terms.map((term) => termFilter(term)))] : [],
    ),
    ...(concept?.documents && choices.some(({ postings }) => postings) ? [memberFilter(corpus, concept)] : []),
  ])
}

type Words = Pick<QuestionMatches, 'queryWords' | 'least'>

/**
 * Documents that hold enough of a question: the weights of the words that they hold reach the share `least`. Every sufficient set of words
 * is one way to match. A question of more than `MOST_LISTED` words needs that share of its words, whatever they weigh.
 */
export function textFilter(corpus: Corpus, { queryWords, least = 1 }: Words): Json {
  const words = [...queryWords].sort((a, b) => b.weight - a.weight)
  const filters = words.map((word) => wordFilter(corpus, word))
  const total = words.reduce((sum, { weight }) => sum + weight, 0)
  const needed = least * total * 0.9999
  if (words.length > MOST_LISTED) {
    return { bool: { should: filters, minimum_should_match: Math.max(1, Math.floor(least * words.length)) } }
  }
  return any(sufficientSets(words, needed).map((set) => all(...filters.filter((_, i) => set.includes(i)))))
}

/** All smallest sets of words that weigh at least `needed`, as indexes. `words` are sorted by falling weight. */
function sufficientSets(words: readonly WeightedWord[], needed: number): number[][] {
  const sets: number[][] = []
  const add = (at: number, set: readonly number[], weight: number): void => {
    if (weight >= needed && set.length > 0) {
      sets.push([...set])
      return
    }
    for (let i = at; i < words.length; i += 1) add(i + 1, [...set, i], weight + (words[i]?.weight ?? 0))
  }
  add(0, [], 0)
  return sets
}

/** Documents that belong to a concept of documents, much as `belongingTo` of the embedded engine finds them. */
export function memberFilter(corpus: Corpus, { documents = [], area }: Concept): Json {
  return any(
    documents.flatMap((number) => {
      const document = corpus.document(number)
      const by = conceptSource(document.resource)?.by
      const around = by === 'point' && !area ? areaOf(corpus, number) : undefined
      const { years } = document
      const isPeriod = by === 'years' && years && years.from !== null && years.to !== null
      return [
        termFilter(linkTerm(document.id)),
        ...conceptNames(document).map((terms) => all(...terms.map((term) => termFilter(term)))),
        ...(around ? [nearFilter(around.at, around.reach)] : []),
        ...(isPeriod ? [all({ range: { from: { gte: years.from } } }, { range: { to: { lte: years.to } } })] : []),
      ]
    }),
  )
}

/** The score of a document by words, recency and popularity, as clauses. The server adds up the clauses that match. */
export function scoreClauses(corpus: Corpus, weights: Weights, { queryWords }: Words): Json[] {
  const byText = textShareOf(queryWords)
  const nameFactor = (weights.text * (1 - byText) * NAME_FACTOR) / 255
  const textFactor = (weights.text * byText) / 255
  const total = queryWords.reduce((sum, { weight }) => sum + weight, 0) || 1
  const rarities = queryWords.reduce((sum, { rarity }) => sum + rarity, 0) || 1
  const { recency, popularity } = weights
  return [
    ...queryWords.flatMap((word) => [
      ...choiceScores(corpus, word, 'by_name', (nameFactor * word.weight) / total),
      ...choiceScores(corpus, word, 'by_text', (textFactor * word.rarity) / rarities),
    ]),
    // The server takes no clause without weight.
    ...(recency > 0
      ? [{ distance_feature: { field: 'updated', origin: clock.now().toISOString(), pivot: '1d', boost: recency } }]
      : []),
    ...(popularity > 0
      ? [{ rank_feature: { field: 'popularity', saturation: { pivot: 10 }, boost: popularity } }]
      : []),
  ]
}

/** The score of a word: the score of its best choice without `adds`, and the scores of all choices with `adds`. */
function choiceScores(corpus: Corpus, word: WeightedWord, field: string, factor: number): Json[] {
  if (factor <= 0) return []
  const clausesOf = (choice: Choice): Json[] => {
    const boost = factor * choice.fit
    if (choice.postings && word.concept)
      return [
        {
          constant_score: { filter: memberFilter(corpus, word.concept), boost: boost * 255 * TAGGED * CERTAINTY.near },
        },
      ]
    const feature = (name: string, share: number) => ({
      rank_feature: { field: `${field}.${name}`, linear: {}, boost: share },
    })
    const [term = ''] = choice.terms
    if (choice.terms.length === 1) return featuresOf(term, choice.voice).map((name) => feature(name, boost))
    return [{ bool: { must: choice.terms.map((each) => feature(featureOf(each), boost / choice.terms.length)) } }]
  }
  const counted = word.choices.slice(0, MOST_SCORED)
  const best = counted.filter(({ adds }) => !adds).flatMap(clausesOf)
  const added = counted.filter(({ adds }) => adds).flatMap(clausesOf)
  return [...(best.length > 0 ? [{ dis_max: { queries: best } }] : []), ...added]
}
