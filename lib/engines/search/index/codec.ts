import type { Impact } from './contents.ts'
import type { Voice } from './voice.ts'

/**
 * The documents that contain a term, in ascending order, with two weights each. A document number has two halves: the
 * upper half is a block of 65,536 documents, the lower half a position in the block.
 *
 * `blocks`: pairs of a block's number and its count of documents less one.
 * `lows`: the lower halves. `impacts`: the weights by name. `texts`: the weights by text.
 *
 * A block can be read without the blocks before it. The arrays are the same in a file and in memory.
 */
export type Postings = { blocks: Uint16Array; lows: Uint16Array; impacts: Uint8Array; texts: Uint8Array }

/** Document numbers in one block. */
export const BLOCK = 65_536

export class PostingList {
  readonly #blocks: number[] = []
  #lows = new Uint16Array(4)
  #impacts = new Uint8Array(4)
  #texts = new Uint8Array(4)
  #count = 0

  /** Appends a document, whose number must be greater than all before it. `impact` is at least 1. */
  push(number: number, impact: number, text = 0): void {
    const block = Math.floor(number / BLOCK)
    const used = this.#blocks.length
    // The pair holds the count less one, since the count of a full block, 65,536, does not fit into 16 bits.
    if (this.#blocks[used - 2] === block) this.#blocks[used - 1] = (this.#blocks[used - 1] ?? 0) + 1
    else this.#blocks.push(block, 0)
    if (this.#count === this.#lows.length) {
      this.#lows = copyInto(this.#lows, new Uint16Array(this.#count * 2))
      this.#impacts = copyInto(this.#impacts, new Uint8Array(this.#count * 2))
      this.#texts = copyInto(this.#texts, new Uint8Array(this.#count * 2))
    }
    this.#lows[this.#count] = number % BLOCK
    this.#impacts[this.#count] = impact
    this.#texts[this.#count] = text
    this.#count += 1
  }

  get isEmpty(): boolean {
    return this.#count === 0
  }

  get postings(): Postings {
    return {
      blocks: Uint16Array.from(this.#blocks),
      lows: this.#lows.subarray(0, this.#count),
      impacts: this.#impacts.subarray(0, this.#count),
      texts: this.#texts.subarray(0, this.#count),
    }
  }
}

function copyInto<T extends Uint8Array | Uint16Array>(from: T, to: T): T {
  to.set(from)
  return to
}

/** Calls a function for each document of a list, with its weight by name. */
export function eachPosting({ blocks, lows, impacts }: Postings, each: (number: number, impact: number) => void): void {
  let at = 0
  for (let pair = 0; pair < blocks.length; pair += 2) {
    const first = (blocks[pair] ?? 0) * BLOCK
    for (const end = at + (blocks[pair + 1] ?? 0) + 1; at < end; at += 1)
      each(first + (lows[at] ?? 0), impacts[at] ?? 0)
  }
}

/** The weight by name (`impacts`) of a term in one document. 0 if the document lacks the term. */
export function impactOf({ blocks, lows, impacts }: Postings, number: number): number {
  const block = Math.floor(number / BLOCK)
  let from = 0
  for (let pair = 0; pair < blocks.length; pair += 2) {
    const end = from + (blocks[pair + 1] ?? 0) + 1
    if (blocks[pair] === block) return impacts[indexIn(lows, number % BLOCK, from, end)] ?? 0
    from = end
  }
  return 0
}

/** The documents in both lists, each with the lower of its two impacts. */
export function intersect(a: Postings, b: Postings): Postings {
  const [few, many] = a.lows.length < b.lows.length ? [a, b] : [b, a]
  const list = new PostingList()
  eachPosting(few, (number, impact) => {
    const other = impactOf(many, number)
    if (other > 0) list.push(number, Math.min(impact, other), Math.min(impact, other))
  })
  return list.postings
}

/** Finds `low` in the sorted part of `lows` from `from` to before `end`. -1 if it is missing. */
export function indexIn(lows: Uint16Array, low: number, from: number, end: number): number {
  let last = end - 1
  while (from < last) {
    const middle = (from + last) >> 1
    if ((lows[middle] ?? 0) < low) from = middle + 1
    else last = middle
  }
  return lows[from] === low ? from : -1
}

/** The postings of a term in words of one voice. */
export type VoicedPostings = { voice: Voice; postings: Postings }

/** Builds the postings of a term, one list for each voice. */
export class VoicedLists {
  readonly #lists: { voice: Voice; list: PostingList }[] = []

  /** Appends a document, whose number must be greater than all before it. */
  push(number: number, { voice, name, text }: Pick<Impact, 'voice' | 'name' | 'text'>): void {
    const own = this.#lists.find((found) => found.voice === voice)?.list ?? new PostingList()
    if (own.isEmpty) this.#lists.push({ voice, list: own })
    own.push(number, name, text)
  }

  get voiced(): VoicedPostings[] {
    return this.#lists.map(({ voice, list }) => ({ voice, postings: list.postings }))
  }
}

/**
 * Packs the lists of a term: their count, then a head for each list (its voice, the lengths of `blocks` and `lows`), then
 * the arrays.
 */
export function writePostings(all: readonly VoicedPostings[]): Uint8Array {
  const sizes = all.map(({ postings: { blocks, lows } }) => 2 * blocks.length + 4 * lows.length)
  const bytes = new Uint8Array(2 + sizes.reduce((sum, size) => sum + HEAD + size, 0))
  const halves = new Uint16Array(bytes.buffer)
  halves[0] = all.length
  let at = 2 + HEAD * all.length
  for (const [i, { voice, postings }] of all.entries()) {
    const { blocks, lows, impacts, texts } = postings
    halves.set([voice, blocks.length, lows.length & 0xffff, lows.length >>> 16], 1 + (i * HEAD) / 2)
    halves.set(blocks, at / 2)
    halves.set(lows, at / 2 + blocks.length)
    const impactsAt = at + 2 * (blocks.length + lows.length)
    bytes.set(impacts, impactsAt)
    bytes.set(texts, impactsAt + impacts.length)
    at += sizes[i] ?? 0
  }
  return bytes
}
/** Bytes of the header of one posting list. */
const HEAD = 8

export function readPostings(stored: Uint8Array): VoicedPostings[] {
  const { buffer, byteOffset } = stored.byteOffset % 2 === 0 ? stored : stored.slice()
  const [count = 0] = new Uint16Array(buffer, byteOffset, 1)
  const heads = new Uint16Array(buffer, byteOffset + 2, (count * HEAD) / 2)
  let at = byteOffset + 2 + HEAD * count
  return Array.from({ length: count }, (_, i) => {
    const [voice = 0, pairs = 0, low = 0, high = 0] = heads.subarray((i * HEAD) / 2)
    const size = low + high * 0x10000
    const lows = at + 2 * pairs
    const postings = {
      blocks: new Uint16Array(buffer, at, pairs),
      lows: new Uint16Array(buffer, lows, size),
      impacts: new Uint8Array(buffer, lows + 2 * size, size),
      texts: new Uint8Array(buffer, lows + 3 * size, size),
    }
    at = lows + 4 * size
    return { voice, postings }
  })
}

/** A growing list of ascending numbers. Each is stored as its distance from the last, in as few bytes as possible. */
export type PackedNumbers = { bytes: Uint8Array; length: number; last: number; count: number }

export const newPackedNumbers = (): PackedNumbers => ({ bytes: new Uint8Array(8), length: 0, last: -1, count: 0 })

/** Appends a number, which must be greater than all before it. */
export function pushNumber(list: PackedNumbers, number: number): void {
  if (list.length + 5 > list.bytes.length) {
    const grown = new Uint8Array(list.bytes.length * 2)
    grown.set(list.bytes)
    list.bytes = grown
  }
  let left = number - list.last - 1
  while (left > 127) {
    list.bytes[list.length++] = (left & 127) | 128
    left >>>= 7
  }
  list.bytes[list.length++] = left
  list.last = number
  list.count += 1
}

export const packedBytes = (list: PackedNumbers): Uint8Array => list.bytes.subarray(0, list.length)

export function unpackNumbers(bytes: Uint8Array): Uint32Array {
  const numbers = new Uint32Array(bytes.length)
  let [last, count] = [-1, 0]
  for (let at = 0; at < bytes.length; ) {
    let byte = bytes[at++] ?? 0
    let step = byte & 127
    for (let shift = 7; byte > 127; shift += 7) {
      byte = bytes[at++] ?? 0
      step |= (byte & 127) << shift
    }
    last += step + 1
    numbers[count++] = last
  }
  return numbers.slice(0, count)
}
