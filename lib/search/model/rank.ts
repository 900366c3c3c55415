import { clock } from '../../clock.ts'
import type { Weights } from '../../config.ts'
import type { Mention } from '../index/tags.ts'
import type { Wanted } from './choices.ts'
import type { Corpus } from './corpus.ts'
import { likenessTo } from './likeness.ts'
import { tellsOfText } from './lookup.ts'
import type { Matches } from './match.ts'
import { selectTop } from './select-top.ts'

/** What answers a question. `named`: where others were let in beside them, the documents with all words in their names. */
export type Found = Matches & {
  wanted: readonly Wanted[]
  concepts: readonly Mention[]
  named?: ReadonlySet<number>
}

export type Ranked = { number: number; score: number; likeness: number }

/** The names of so many of the best are read and compared with the question; the rest goes by its words alone. */
export const COMPARED = 64
/** What a document counts beside those that have all words in their names. */
const BESIDE = 0.85
/** What a document is worth that answers nothing of a question that is understood. */
const LACKING = 0.4
/** A place narrows: what it is worth besides where it lies elsewhere. */
const AWAY = 0.6
/** The share of the text model by how many words tell something: a word or two are a name, many are a question. */
const TEXT_SHARES = [0, 0.1, 0.1, 0.25, 0.4, 0.7, 0.8]
/** What is said in names and what names are like, as parts of the name model. */
const [SAID, LIKE] = [0.4, 0.6]
/** The score of a name that consists of a word of the question. */
const FULL_SCORE = 0.7
const DAY_MS = 86_400_000

/** The specification's score: the score of the text, how new it is, how popular. Words first, then for the best of them the names as well. */
export function byRelevance(corpus: Corpus, weights: Weights, text: string, found: Found, size: number): Ranked[] {
  const { numbers, scores, texts, wanted } = found
  const many = wanted.filter(tellsOfText).length
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
  const likenessOf = likenessTo(wanted, text)
  return selectTop(places, Math.max(COMPARED, size), earlier)
    .map((place, i) => {
      const number = numbers[place] ?? 0
      if (i >= COMPARED) return { number, likeness: 0, score: order[place] ?? 0 }
      const likeness = likenessOf(corpus.names(number))
      // Whoever types a name asks for what is called so, however many words it has.
      const isName = Math.min(1, Math.max(0, (likeness - 0.6) / 0.3))
      const named = said(place) + (byName + byText * isName) * LIKE * likeness
      const score = share(place, isName) * (named + byText * (1 - LIKE * isName) * (texts[place] ?? 0))
      return { number, likeness, score: weights.text * score + besides(number) }
    })
    .sort((a, b) => b.score - a.score || (ties[a.number] ?? 0) - (ties[b.number] ?? 0))
}

/** How new and how popular a document is, as parts of its score. */
function besidesText({ columns: { updated, popularity } }: Corpus, weights: Weights) {
  const now = clock.now().getTime()
  return (number: number): number => {
    const age = Math.max(0, (now - (updated[number] ?? 0)) / DAY_MS)
    const liked = popularity[number] ?? 0
    return weights.recency / (1 + age) + (weights.popularity * liked) / (liked + 10)
  }
}

/** What the text of a document counts by how much of the question it holds; that of one that is called so, all. */
function shareOf({ numbers, held, wanted, concepts, named }: Found) {
  const telling = wanted.reduce((bits, it, i) => (tellsOfText(it) ? bits | (1 << i) : bits), 0)
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

/** The places that a question for several things is about, a bit each: temples in Patan. A town beside one name only tells which it is. */
function placesAsked(wanted: readonly Wanted[], concepts: readonly Mention[]): number {
  const several = concepts.some(({ concept, to }) => concept.as === 'sort' && isPlural(wanted[to]))
  return several
    ? concepts.reduce((bits, { concept, from }) => (concept.as === 'place' ? bits | (1 << from) : bits), 0)
    : 0
}

const isPlural = (it: Wanted | undefined): boolean =>
  it !== undefined && (it.whole !== undefined || it.sound !== it.term)

function bitsIn(bits: number): number {
  let count = 0
  for (let left = bits; left !== 0; left &= left - 1) count += 1
  return count
}
