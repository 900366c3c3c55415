import { BLOCK, indexIn, intersect, type Postings } from '../index/codec.ts'
import type { Corpus } from './corpus.ts'
import type { Choice, WeightedWord } from './lookup.ts'

/**
 * Matching documents, as parallel arrays. `scores` by name and `texts` by text are from 0 to 1. `held` has one bit for each word of the
 * question that the document contains.
 */
export type Matches = { numbers: Uint32Array; scores: Float32Array; texts: Float32Array; held: Uint32Array }

/**
 * Working memory with one place for each document of a block. All arrays but `touched` hold only zeros between two blocks. It fits into
 * the processor's cache for any number of documents.
 */
const termScore = new Float32Array(BLOCK)
const termWeight = new Float32Array(BLOCK)
const textScore = new Float32Array(BLOCK)
const words = new Uint32Array(BLOCK)
const touched = new Uint16Array(BLOCK)

/**
 * Finds the admitted documents whose words have at least the share `least` of the question's weight. It reads the words by falling weight.
 * Once the remaining words together weigh less than that share, no new document is added. So common words cost little time.
 */
export function matchDocuments(
  corpus: Corpus,
  queryWords: readonly WeightedWord[],
  least: number,
  admits: (number: number) => boolean,
): Matches {
  const total = queryWords.reduce((sum, { weight }) => sum + weight, 0)
  const needed = least * total * 0.9999
  const steps = stepsOf(corpus, queryWords, total, needed)
  const most = steps.reduce(
    (sum, { opens, runs }) => (opens ? runs.reduce((n, it) => n + it.lows.length, sum) : sum),
    0,
  )
  const numbers = new Uint32Array(Math.min(most, corpus.columns.size))
  const worth = new Float32Array(numbers.length)
  const texts = new Float32Array(numbers.length)
  const held = new Uint32Array(numbers.length)
  let size = 0
  for (let block = 0; block * BLOCK < corpus.columns.size; block += 1) {
    const count = matchBlock(block, steps, needed)
    for (let at = 0; at < count; at += 1) {
      const low = touched[at] ?? 0
      const number = block * BLOCK + low
      if (admits(number)) {
        numbers[size] = number
        texts[size] = textScore[low] ?? 0
        held[size] = words[low] ?? 0
        worth[size++] = termScore[low] ?? 0
      }
      clearScores(low)
    }
  }
  return truncateMatches({ numbers, scores: worth, texts, held }, size)
}

export const truncateMatches = ({ numbers, scores, texts, held }: Matches, size: number): Matches => ({
  numbers: numbers.subarray(0, size),
  scores: scores.subarray(0, size),
  texts: texts.subarray(0, size),
  held: held.subarray(0, size),
})

/** One word of the question. If `opens`, it adds new documents. `left` is the weight of the words after it. */
type Step = { bit: number; weight: number; opens: boolean; left: number; runs: Run[] }
/** The postings of one choice, with the places up to which they have been read. */
type Run = Postings & { share: number; textShare: number; adds: boolean; pair: number; from: number }

function stepsOf(corpus: Corpus, queryWords: readonly WeightedWord[], total: number, needed: number): Step[] {
  let left = total
  const rarities = queryWords.reduce((sum, { rarity }) => sum + rarity, 0) || 1
  return sortByWeight(queryWords).map((word) => {
    const { weight, rarity, choices } = word
    const opens = left >= needed
    left -= weight
    const runs = choices.flatMap((choice) => {
      const share = (weight * choice.fit) / (255 * total)
      const textShare = (rarity * choice.fit) / (255 * rarities)
      return postingsOf(corpus, choice).map(
        (postings): Run => ({ ...postings, share, textShare, adds: choice.adds === true, pair: 0, from: 0 }),
      )
    })
    return { bit: 1 << queryWords.indexOf(word), weight, opens, left, runs }
  })
}

/** Matches one block. Writes the documents with enough weight to the front of `touched`, and returns their number. */
function matchBlock(block: number, steps: readonly Step[], needed: number): number {
  let count = 0
  for (const { bit, weight, opens, left, runs } of steps) {
    for (const run of runs) {
      if (run.blocks[run.pair] !== block) continue
      const { lows, impacts, texts, share, textShare, adds, from } = run
      const end = from + (run.blocks[run.pair + 1] ?? 0) + 1
      run.pair += 2
      run.from = end
      if (!opens && count * WALK < end - from) {
        for (let i = 0; i < count; i += 1) {
          const low = touched[i] ?? 0
          const held = words[low] ?? 0
          const at = held & bit && !adds ? -1 : indexIn(lows, low, from, end)
          if (at < 0) continue
          if (!(held & bit)) termWeight[low] = (termWeight[low] ?? 0) + weight
          words[low] = held | bit
          termScore[low] = (termScore[low] ?? 0) + share * (impacts[at] ?? 0)
          textScore[low] = (textScore[low] ?? 0) + textShare * (texts[at] ?? 0)
        }
        continue
      }
      for (let at = from; at < end; at += 1) {
        const low = lows[at] ?? 0
        const held = words[low] ?? 0
        if (held & bit && !adds) continue
        if (held === 0) {
          if (!opens) continue
          touched[count++] = low
        }
        if (!(held & bit)) termWeight[low] = (termWeight[low] ?? 0) + weight
        words[low] = held | bit
        termScore[low] = (termScore[low] ?? 0) + share * (impacts[at] ?? 0)
        textScore[low] = (textScore[low] ?? 0) + textShare * (texts[at] ?? 0)
      }
    }
    count = dropHopeless(count, needed - left)
  }
  return count
}

/**
 * A list this many times longer than the remaining documents is not read whole. Each document is looked up in it by binary search.
 */
const WALK = 12

/** Drops documents whose weight is below `least`. Returns the number of remaining documents. */
function dropHopeless(count: number, least: number): number {
  let remaining = 0
  for (let at = 0; at < count; at += 1) {
    const low = touched[at] ?? 0
    if ((termWeight[low] ?? 0) >= least) touched[remaining++] = low
    else clearScores(low)
  }
  return remaining
}

function clearScores(low: number): void {
  termScore[low] = termWeight[low] = textScore[low] = words[low] = 0
}

const sortByWeight = (queryWords: readonly WeightedWord[]) =>
  [...queryWords].sort((a, b) => b.weight - a.weight || (a.raw < b.raw ? -1 : 1))

/** The postings of all terms of a choice together. */
function postingsOf(corpus: Corpus, { terms, voice, postings }: Choice): Postings[] {
  if (postings) return [postings]
  const [first, ...others] = terms
  let lists = first === undefined ? [] : corpus.postings(first, voice)
  for (const term of others) {
    const more = corpus.postings(term)
    lists = lists.flatMap((list) => more.map((each) => intersect(list, each)))
  }
  return lists
}
