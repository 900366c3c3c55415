/**
 * The figures of a person. Each is computed from the stored sizes of the person's lists, so nothing is counted. `fork_points` are the
 * points of forks that were merged or promoted.
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
