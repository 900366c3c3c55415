/**
 * The figures of a person. Each comes of the stored sizes of one or more of the person's lists, so it needs no counting. `fork_points`
 * are the points of forks that were merged or promoted.
 */
export const figureNames = [
  'entities',
  'accepted_entities',
  'rejected_entities',
  'reviews',
  'revisions',
  'submissions',
  'accepted_submissions',
  'rejected_submissions',
  'forks',
  'merged_forks',
  'fork_points',
] as const
export type Figures = Record<(typeof figureNames)[number], number>
