/** What the assistant may know of one record: all of it visible to whoever asks. */
export type Passage = {
  id: string
  /** The plural name of what it is, such as "monuments". */
  resource: string
  label: string
  title: string
  text: string
  /** What its fields say in few words, by their labels. */
  facts: readonly { label: string; about: About; text: string }[]
  /** Where the dashboard shows it. */
  url: string
}
export type About = 'place' | 'time' | 'person' | 'other'

/** A text cut at a word to at most `most` letters, with a sign that something is left out. */
export function cut(text: string, most: number): string {
  const letters = [...text]
  if (letters.length <= most) return text
  const kept = letters.slice(0, most - 1).join('')
  const end = kept.lastIndexOf(' ')
  return `${end > most / 2 ? kept.slice(0, end) : kept}…`
}
