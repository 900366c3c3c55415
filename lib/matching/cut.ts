/**
 * The first `most` characters of a text. Characters are code points: a cut between two code units may leave half of one,
 * which neither the table nor a client takes.
 */
export function cut(text: string, most: number): string {
  if (text.length <= most) return text
  // Twice as many code units hold at least as many whole characters as are wanted.
  return [...text.slice(0, 2 * most)].slice(0, most).join('')
}
