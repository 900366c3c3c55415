/** The sorts of answer that are kept, and for how many seconds. */
export const answers = {
  leaderboard: { seconds: 120 },
  'queue-counts': { seconds: 30 },
  search: { seconds: 60 },
  'search-facets': { seconds: 300 },
} as const satisfies Record<string, { seconds: number }>
export type Name = keyof typeof answers
/** Those whose version is counted in the table; the others are kept by a version that the caller knows. */
export type Versioned = 'leaderboard' | 'queue-counts'

/** What a change of an item of each type makes stale. Beside the five rules of the specification: what a board shows has changed. */
export const staleBy: Readonly<Record<string, readonly Versioned[]>> = {
  submission: ['leaderboard'],
  record: ['leaderboard', 'queue-counts'],
  decision: ['leaderboard', 'queue-counts'],
  flag: ['queue-counts'],
  revision: ['leaderboard'],
  board: ['leaderboard'],
}
