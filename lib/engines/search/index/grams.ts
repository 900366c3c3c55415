/** The grams of a word: its pieces of three letters, with its beginning and end marked. Similar words share many. */
export function gramsOf(word: string): string[] {
  return pieces(`^^${word}$`, 3)
}

/**
 * The skeleton of a term: no vowels, and none of the consonants that writers often confuse. "Saraswati" and "Swarshoti"
 * have the same skeleton. Undefined if fewer than four letters are left, since too many words would share them.
 */
export function skeletonOf(term: string): string | undefined {
  const rest = `${term.slice(0, 1)}${term.slice(1).replace(/[aeiouybh]/g, '')}`.replace(/(.)\1+/g, '$1')
  return rest.length < 4 ? undefined : `=${rest}`
}

/** The grams of a term, and its skeleton. A link and a whole name have none: they are looked up as they are. */
export function termGramsOf(term: string): string[] {
  if (/^[@~]/.test(term)) return []
  const skeleton = skeletonOf(term)
  return skeleton === undefined ? gramsOf(term) : [...gramsOf(term), skeleton]
}

/** The grams of a word, and its pieces of two letters. A word that contains a text contains all pieces of the text. */
export function piecesOf(word: string): string[] {
  return [...pieces(word, 2), ...gramsOf(word)]
}

/** The pieces that a word must have to contain this text of two letters or more. */
export function requiredPiecesOf(text: string): string[] {
  return pieces(text, text.length > 2 ? 3 : 2)
}

function pieces(word: string, length: number): string[] {
  const letters = [...word]
  const starts = letters.slice(length - 1)
  return [...new Set(starts.map((_, i) => letters.slice(i, i + length).join('')))]
}
