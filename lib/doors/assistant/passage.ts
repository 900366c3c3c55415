/** The part of a record that the assistant gets. The caller may see all of it. */
export type Passage = {
  id: string
  /** The plural of its kind, such as "monuments". */
  resource: string
  label: string
  title: string
  text: string
  /** Short values of its fields, with their labels. */
  facts: readonly { label: string; about: FactTopic; text: string }[]
  /** The page of the dashboard about the record. */
  url: string
}
/** The topic of a fact. A question with "where" is about a place. */
export type FactTopic = 'place' | 'time' | 'person' | 'other'
