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
