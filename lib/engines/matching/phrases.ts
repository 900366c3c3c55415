import { fold, isGeneric } from './fold.ts'

/** Words that may be a name: as written, folded, and their positions in the text. */
export type Phrase = { text: string; folded: string; words: readonly number[] }

/** The most words of a phrase. */
const MOST_WORDS = 5
/** Small words that may be inside a name. */
const smallWords = new Set(['of', 'the', 'ko', 'and', 'de'])

/**
 * Finds the parts of a text that may be names, at most `most`. In Latin script these are runs of words with capitals,
 * in Devanagari all runs of words of a line. Longer runs come first. Generic names are left out.
 */
export function findPhrases(text: string, most: number): Phrase[] {
  const found = new Map<string, Phrase>()
  let lineStart = 0
  for (const line of text.split('\n')) {
    const words = line.split(/\s+/).filter(Boolean)
    for (const { from, length } of runs(words)) {
      const part = words.slice(from, from + length)
      const phrase = part.join(' ').replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}\p{M}]+$/gu, '')
      const folded = fold(phrase)
      if (folded.length < 4 || isGeneric(folded) || found.has(folded)) continue
      found.set(folded, { text: phrase, folded, words: part.map((_, i) => lineStart + from + i) })
    }
    lineStart += words.length
  }
  return [...found.values()].sort((a, b) => b.words.length - a.words.length).slice(0, most)
}

/** Lists the runs of words of a line that may be a name, up to five words long. */
function runs(words: readonly string[]): { from: number; length: number }[] {
  return words.flatMap((_, from) =>
    Array.from({ length: Math.min(MOST_WORDS, words.length - from) }, (_, i) => ({ from, length: i + 1 })).filter(
      ({ length }) => {
        const part = words.slice(from, from + length)
        const isNamePart = (word = '') => /^[^\p{L}]*(\p{Lu}|\p{Script=Devanagari})/u.test(word)
        // No mark such as a full stop or a comma stands between the words of a name.
        const isUnbroken = part.slice(0, -1).every((word) => !/[.;:!?।,]$/.test(word))
        return (
          isUnbroken &&
          isNamePart(part[0]) &&
          isNamePart(part.at(-1)) &&
          part.every((word) => isNamePart(word) || smallWords.has(word))
        )
      },
    ),
  )
}
