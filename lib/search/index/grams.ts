import { isLinkTerm } from './links.ts'

/** The three-letter pieces of a word with its beginning and end marked; what words that are spelt alike have in common. */
export function gramsOf(word: string): string[] {
  return pieces(`^^${word}$`, 3)
}

/**
 * What is left of a term whose vowels, and the sounds between vowels and consonants, writers hear each in their own way:
 * Saraswati, Swarshoti. Of less than four letters too many words have the same.
 */
export function skeletonOf(term: string): string | undefined {
  const left = `${term.slice(0, 1)}${term.slice(1).replace(/[aeiouybh]/g, '')}`.replace(/(.)\1+/g, '$1')
  return left.length < 4 ? undefined : `=${left}`
}

/** The pieces of a term, its skeleton among them; of a link none, since nobody misspells it. */
export function termGramsOf(term: string): string[] {
  if (isLinkTerm(term)) return []
  const skeleton = skeletonOf(term)
  return skeleton === undefined ? gramsOf(term) : [...gramsOf(term), skeleton]
}

/** The pieces of three letters and those of two: whatever holds a text holds all pieces of the text. */
export function piecesOf(word: string): string[] {
  return [...pieces(word, 2), ...gramsOf(word)]
}

/** Those of them by which a text of two letters or more is looked for: its longer ones, where it has any. */
export function tellingPiecesOf(text: string): string[] {
  return pieces(text, text.length > 2 ? 3 : 2)
}

function pieces(word: string, length: number): string[] {
  const letters = [...word]
  const starts = letters.slice(length - 1)
  return [...new Set(starts.map((_, i) => letters.slice(i, i + length).join('')))]
}
