/** The figures of a person. Each equals the stored size of one or more of the person's lists, so it needs no counting. */
export const figureNames = [
  'entities',
  'accepted_entities',
  'rejected_entities',
  'reviews',
  'revisions',
  'submissions',
  'accepted_submissions',
  'rejected_submissions',
] as const
export type Figures = Record<(typeof figureNames)[number], number>
