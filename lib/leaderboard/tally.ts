/** What a person has done, as the exact sizes of the person's lists say. */
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
