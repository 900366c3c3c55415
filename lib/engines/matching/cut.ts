/**
 * Returns the first `most` characters of a text. A character is a code point. A cut between two code units could leave half a character,
 * which neither the table nor a client accepts. Use it for every text that is stored or answered.
 */
export function cut(text: string, most: number): string {
  if (text.length <= most) return text
  let end = 0
  for (let n = 0; n < most && end < text.length; n += 1) end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1
  return text.slice(0, end)
}

/** Shortens a text to `most` characters, the three dots at its end included. */
export const shorten = (text: string, most: number): string =>
  cut(text, most) === text ? text : `${cut(text, most - 3)}...`

/** Shortens a text to `most` characters, if possible at the end of a word. A text that is cut ends in "…". */
export function cutAtWord(text: string, most: number): string {
  if (cut(text, most) === text) return text
  const beginning = cut(text, most - 1)
  const end = beginning.lastIndexOf(' ')
  return `${end > most / 2 ? beginning.slice(0, end) : beginning}…`
}
