/** What the assistant may know of one record. The caller may see all of it. */
export type Passage = {
  id: string
  /** The plural of its kind, such as "monuments". */
  resource: string
  label: string
  title: string
  text: string
  /** Short values of its fields, with their labels. */
  facts: readonly { label: string; about: About; text: string }[]
  /** The page of the dashboard that shows it. */
  url: string
}
export type About = 'place' | 'time' | 'person' | 'other'
