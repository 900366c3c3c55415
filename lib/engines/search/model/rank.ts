import { clock } from '../../../base/clock.ts'
import type { Weights } from '../../../base/config.ts'
import type { Mention } from '../index/tags.ts'
import type { Corpus } from './corpus.ts'
import { nameLikeness } from './likeness.ts'
import type { WeightedWord } from './lookup.ts'
import { countsInText } from './lookup.ts'
import type { Matches } from './match.ts'
import { type RankedDocument, selectTop } from './sort.ts'

/**
 * The matches of a question. `wanted`: its words. `named`: the documents with all words in their names, if others were
 * let in beside them.
 */
export type QuestionMatches = Matches & {
  wanted: readonly WeightedWord[]
  concepts: readonly Mention[]
  named?: ReadonlySet<number>
}

/** The names of so many of the best documents are compared with the question. The rest is ranked by words alone. */
export const MOST_COMPARED = 64
/** The factor for a document beside others that have all words in their names. */
const BESIDE = 0.85
/** The factor for a document that holds no word of a question with concepts. */
const LACKING = 0.4
/** The factor for a document that lies elsewhere than at the place that the question names. */
const AWAY = 0.6
/**
 * The share of the text model in the score, by the number of telling words. One or two words are a name, many are a
 * question.
 */
const TEXT_SHARES = [0, 0.1, 0.1, 0.25, 0.4, 0.7, 0.8]
/** The two parts of the name model: which words the names hold, and how like the question they are. */
const [SAID, LIKE] = [0.4, 0.6]
/** The score of a name that consists of one word of the question. */
const FULL_SCORE = 0.7
const DAY_MS = 86_400_000

/**
 * Ranks documents by text, recency and popularity: first all by their words, then the best of them by their names, too.
 */
export function rankByRelevance(
  corpus: Corpus,
  weights: Weights,
  text: string,
  found: QuestionMatches,
  size: number,
): RankedDocument[] {
  const { numbers, scores, texts, wanted } = found
  const many = wanted.filter(countsInText).length
  const byText = TEXT_SHARES[Math.min(many, TEXT_SHARES.length - 1)] ?? 0
  const byName = 1 - byText
  const share = shareOf(found)
  const besides = besidesText(corpus, weights)
  const order = new Float64Array(numbers.length)
  const places = new Uint32Array(numbers.length)
  const said = (i: number) => byName * SAID * Math.min(1, (scores[i] ?? 0) / FULL_SCORE)
  for (let i = 0; i < numbers.length; i += 1) {
    places[i] = i
    const words = said(i) + byText * (texts[i] ?? 0)
    order[i] = weights.text * share(i, 0) * words + besides(numbers[i] ?? 0)
  }
  const ties = corpus.columns.order
  const earlier = (a: number, b: number) => {
    const [x, y] = [order[a] ?? 0, order[b] ?? 0]
    return x === y ? (ties[numbers[a] ?? 0] ?? 0) < (ties[numbers[b] ?? 0] ?? 0) : x > y
  }
  const likenessOf = nameLikeness(wanted, text)
  return selectTop(places, Math.max(MOST_COMPARED, size), earlier)
    .map((place, i) => {
      const number = numbers[place] ?? 0
      if (i >= MOST_COMPARED) return { number, likeness: 0, score: order[place] ?? 0 }
      const likeness = likenessOf(corpus.names(number))
      // Whoever types a name wants what is called so, even if the name is long. So likeness replaces the text model.
      const isName = Math.min(1, Math.max(0, (likeness - 0.6) / 0.3))
      const named = said(place) + (byName + byText * isName) * LIKE * likeness
      const score = share(place, isName) * (named + byText * (1 - LIKE * isName) * (texts[place] ?? 0))
      return { number, likeness, score: weights.text * score + besides(number) }
    })
    .sort((a, b) => b.score - a.score || (ties[a.number] ?? 0) - (ties[b.number] ?? 0))
}

/** Scores how new and how popular a document is. */
function besidesText({ columns: { updated, popularity } }: Corpus, weights: Weights) {
  const now = clock.now().getTime()
  return (number: number): number => {
    const age = Math.max(0, (now - (updated[number] ?? 0)) / DAY_MS)
    const liked = popularity[number] ?? 0
    return weights.recency / (1 + age) + (weights.popularity * liked) / (liked + 10)
  }
}

/**
 * The factor of a document's text score, by how much of the question it holds. A document that is called so counts
 * fully.
 */
function shareOf({ numbers, held, wanted, concepts, named }: QuestionMatches) {
  const telling = wanted.reduce((bits, it, i) => (countsInText(it) ? bits | (1 << i) : bits), 0)
  const all = bitsIn(telling)
  const places = placesAsked(wanted, concepts)
  const beside = named !== undefined && named.size > 0
  return (i: number, isName: number): number => {
    const called = beside && !named.has(numbers[i] ?? 0) ? BESIDE : 1
    if (concepts.length === 0 || all === 0) return called
    const away = places !== 0 && ((held[i] ?? 0) & places) === 0 ? AWAY : 1
    const whole = away * (LACKING + ((1 - LACKING) * bitsIn((held[i] ?? 0) & telling)) / all)
    return called * (isName + (1 - isName) * whole)
  }
}

/**
 * The places in a question for several things, one bit each: "temples in Patan". Beside a single name, a town only
 * tells which one is meant.
 */
function placesAsked(wanted: readonly WeightedWord[], concepts: readonly Mention[]): number {
  const several = concepts.some(({ concept, to }) => concept.as === 'sort' && isPlural(wanted[to]))
  return several
    ? concepts.reduce((bits, { concept, from }) => (concept.as === 'place' ? bits | (1 << from) : bits), 0)
    : 0
}

const isPlural = (it: WeightedWord | undefined): boolean =>
  it !== undefined && (it.whole !== undefined || it.sound !== it.term)

function bitsIn(bits: number): number {
  let count = 0
  for (let left = bits; left !== 0; left &= left - 1) count += 1
  return count
}
