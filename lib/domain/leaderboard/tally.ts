/** What a person has done. Each figure is the exact size of lists. */
export const figures = [
  'entities',
  'accepted_entities',
  'rejected_entities',
  'reviews',
  'revisions',
  'submissions',
  'accepted_submissions',
  'rejected_submissions',
] as const
export type Tally = Record<(typeof figures)[number], number>
