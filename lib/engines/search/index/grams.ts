import { isLinkTerm } from './links.ts'

/** The pieces of three letters of a word, with its beginning and end marked. Words that are spelt alike share many. */
export function gramsOf(word: string): string[] {
  return pieces(`^^${word}$`, 3)
}

/**
 * A term without vowels, and without the sounds that writers hear differently: "Saraswati" and "Swarshoti" have one
 * skeleton. Undefined if fewer than four letters are left, since too many words would share them.
 */
export function skeletonOf(term: string): string | undefined {
  const left = `${term.slice(0, 1)}${term.slice(1).replace(/[aeiouybh]/g, '')}`.replace(/(.)\1+/g, '$1')
  return left.length < 4 ? undefined : `=${left}`
}

/** The grams of a term, and its skeleton. A link has none: nobody misspells it. */
export function termGramsOf(term: string): string[] {
  if (isLinkTerm(term)) return []
  const skeleton = skeletonOf(term)
  return skeleton === undefined ? gramsOf(term) : [...gramsOf(term), skeleton]
}

/** The grams of a word, and its pieces of two letters. A word that contains a text contains all pieces of the text. */
export function piecesOf(word: string): string[] {
  return [...pieces(word, 2), ...gramsOf(word)]
}

/** The pieces that a word must have to contain this text of two letters or more. */
export function tellingPiecesOf(text: string): string[] {
  return pieces(text, text.length > 2 ? 3 : 2)
}

function pieces(word: string, length: number): string[] {
  const letters = [...word]
  const starts = letters.slice(length - 1)
  return [...new Set(starts.map((_, i) => letters.slice(i, i + length).join('')))]
}
