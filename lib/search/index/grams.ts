/** The three-letter pieces of a word with its beginning and end marked; what words that are spelt alike have in common. */
export function gramsOf(word: string): string[] {
  return pieces(`^^${word}$`, 3)
}

/** These and the pieces of two letters: whatever holds a text holds all pieces of the text. */
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
