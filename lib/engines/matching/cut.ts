/**
 * The first `most` characters of a text. A character is a code point: a cut between two code units may leave half of
 * one, which neither the table nor a client takes. Every text that is cut is cut here.
 */
export function cut(text: string, most: number): string {
  if (text.length <= most) return text
  let end = 0
  for (let n = 0; n < most && end < text.length; n += 1) end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1
  return text.slice(0, end)
}

/** A text of at most `most` characters. Of a longer one: the beginning and three dots. */
export const shorten = (text: string, most: number): string =>
  cut(text, most) === text ? text : `${cut(text, most - 3)}...`

/** A text cut at a word to at most `most` characters, with a sign that something is left out. */
export function cutAtWord(text: string, most: number): string {
  if (cut(text, most) === text) return text
  const kept = cut(text, most - 1)
  const end = kept.lastIndexOf(' ')
  return `${end > most / 2 ? kept.slice(0, end) : kept}…`
}
