import type { Postings } from './codec.ts'
import type { Corpus } from './corpus.ts'
import type { Choice, Wanted } from './lookup.ts'

/** The documents that fit, and how much of what was asked each says, from 0 to 1. Good until the next match. */
export type Matches = { numbers: Uint32Array; says: Float32Array }

/** The working memory of matching, one place per document; all zeros between questions. */
export type Scratch = { says: Float32Array; holds: Float32Array; words: Uint16Array; touched: Uint32Array }
export const scratchFor = (size: number): Scratch => ({
  says: new Float32Array(size),
  holds: new Float32Array(size),
  words: new Uint16Array(size),
  touched: new Uint32Array(size),
})

/**
 * The admitted documents that hold words worth at least `least` of the weight of all. The words that tell most come first:
 * once those left cannot make up what a document lacks, no new one is taken in, so that common words cost little.
 */
export function match(
  corpus: Corpus,
  scratch: Scratch,
  wanted: readonly Wanted[],
  least: number,
  admits: (number: number) => boolean,
): Matches {
  const { says, holds, words, touched } = scratch
  const total = wanted.reduce((sum, { weight }) => sum + weight, 0)
  const needed = least * total * 0.9999
  let left = total
  let count = 0
  for (const [i, { weight, choices }] of byWeight(wanted).entries()) {
    const bit = 1 << i
    const opens = left >= needed
    for (const choice of choices) {
      const share = (weight * choice.fit) / (255 * total)
      for (const { numbers, impacts } of postingsOf(corpus, choice)) {
        for (let at = 0; at < numbers.length; at += 1) {
          const number = numbers[at] ?? 0
          const held = words[number] ?? 0
          if (held & bit) continue
          if (held === 0) {
            if (!opens) continue
            touched[count++] = number
          }
          words[number] = held | bit
          holds[number] = (holds[number] ?? 0) + weight
          says[number] = (says[number] ?? 0) + share * (impacts[at] ?? 0)
        }
      }
    }
    left -= weight
  }
  const found = new Uint32Array(count)
  const worth = new Float32Array(count)
  let size = 0
  for (let at = 0; at < count; at += 1) {
    const number = touched[at] ?? 0
    if ((holds[number] ?? 0) >= needed && admits(number)) {
      found[size] = number
      worth[size++] = says[number] ?? 0
    }
    says[number] = holds[number] = words[number] = 0
  }
  return { numbers: found.subarray(0, size), says: worth.subarray(0, size) }
}

const byWeight = (wanted: readonly Wanted[]) =>
  [...wanted].sort((a, b) => b.weight - a.weight || (a.raw < b.raw ? -1 : 1))

function postingsOf(corpus: Corpus, { terms }: Choice): Postings[] {
  const [first, ...others] = terms
  let lists = first === undefined ? [] : corpus.postings(first)
  for (const term of others) {
    const more = corpus.postings(term)
    lists = lists.flatMap((list) => more.map((each) => both(list, each)))
  }
  return lists
}

/** The documents in both lists, with what the term that says less says. */
function both(a: Postings, b: Postings): Postings {
  const size = Math.min(a.numbers.length, b.numbers.length)
  const [numbers, impacts] = [new Uint32Array(size), new Uint8Array(size)]
  let count = 0
  for (let i = 0, j = 0; i < a.numbers.length && j < b.numbers.length; ) {
    const [x, y] = [a.numbers[i] ?? 0, b.numbers[j] ?? 0]
    if (x === y) {
      numbers[count] = x
      impacts[count++] = Math.min(a.impacts[i] ?? 0, b.impacts[j] ?? 0)
    }
    if (x <= y) i += 1
    if (y <= x) j += 1
  }
  return { numbers: numbers.subarray(0, count), impacts: impacts.subarray(0, count) }
}
