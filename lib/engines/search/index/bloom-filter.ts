/**
 * A Bloom filter: a set of words in 16 to 32 bits each. It may report a word that it does not contain, but never denies a
 * word that it contains. Most spellings that search tries are not words, and a query of the file costs forty times as much.
 */
export type BloomFilter = Uint8Array

/** Makes a filter of `count` words. */
export function bloomFilterOf(words: Iterable<string>, count: number): BloomFilter {
  const bits = 2 ** Math.ceil(Math.log2(Math.max(64, count * 16)))
  const filter = new Uint8Array(bits / 8)
  for (const word of words) {
    for (const bit of bitsOf(word, bits)) filter[bit >> 3] = (filter[bit >> 3] ?? 0) | (1 << (bit & 7))
  }
  return filter
}

/** False only if the word is not in the set. */
export function mayContain(filter: BloomFilter, word: string): boolean {
  for (const bit of bitsOf(word, filter.length * 8)) {
    if (((filter[bit >> 3] ?? 0) & (1 << (bit & 7))) === 0) return false
  }
  return true
}

/** Hashes a word to two bits of the filter. `bits` is a power of two. */
function bitsOf(word: string, bits: number): [number, number] {
  let [a, b] = [0x811c9dc5, 0x9e3779b9]
  for (let i = 0; i < word.length; i += 1) {
    const letter = word.charCodeAt(i)
    a = Math.imul(a ^ letter, 0x01000193)
    b = Math.imul(b + letter, 0x85ebca6b) ^ (b >>> 13)
  }
  a ^= a >>> 15
  b ^= b >>> 16
  return [(a >>> 0) & (bits - 1), (b >>> 0) & (bits - 1)]
}
