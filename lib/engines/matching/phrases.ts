import { fold, isGeneric } from './fold.ts'

/** Words that may be a name, as they stand and as they are looked up. */
export type Phrase = { text: string; folded: string; words: readonly number[] }

const LONGEST = 5
/** Small words that stand inside names. */
const inside = new Set(['of', 'the', 'ko', 'and', 'de'])

/**
 * The parts of a text that may be names: in Latin script runs of words with capitals, in Devanagari all runs of words
 * of a line. Longer ones come first; generic ones are left out. `words` are the places of their words in the text.
 */
export function findPhrases(text: string, most: number): Phrase[] {
  const found = new Map<string, Phrase>()
  let place = 0
  for (const line of text.split('\n')) {
    const words = line.split(/\s+/).filter(Boolean)
    for (const { from, length } of runs(words)) {
      const part = words.slice(from, from + length)
      const phrase = part.join(' ').replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}\p{M}]+$/gu, '')
      const folded = fold(phrase)
      if (folded.length < 4 || isGeneric(folded) || found.has(folded)) continue
      found.set(folded, { text: phrase, folded, words: part.map((_, i) => place + from + i) })
    }
    place += words.length
  }
  return [...found.values()].sort((a, b) => b.words.length - a.words.length).slice(0, most)
}

/** Every run of words of a line that a name may be, up to five words long. */
function runs(words: readonly string[]): { from: number; length: number }[] {
  return words.flatMap((_, from) =>
    Array.from({ length: Math.min(LONGEST, words.length - from) }, (_, i) => ({ from, length: i + 1 })).filter(
      ({ length }) => {
        const part = words.slice(from, from + length)
        const named = (word = '') => /^[^\p{L}]*(\p{Lu}|\p{Script=Devanagari})/u.test(word)
        // No sentence ends inside a name.
        const whole = part.slice(0, -1).every((word) => !/[.;:!?।,]$/.test(word))
        return whole && named(part[0]) && named(part.at(-1)) && part.every((word) => named(word) || inside.has(word))
      },
    ),
  )
}
