/** The sorts of answer that are kept, and for how many seconds. The table counts a version of each. */
export const cacheTtls = {
  leaderboard: { seconds: 120 },
  'queue-counts': { seconds: 30 },
} as const satisfies Record<string, { seconds: number }>
export type Name = keyof typeof cacheTtls

/** What a change of an item of each type makes stale. Beside the five rules of the specification: what a board shows has changed. */
export const invalidatedBy: Readonly<Record<string, readonly Name[]>> = {
  submission: ['leaderboard'],
  record: ['leaderboard', 'queue-counts'],
  decision: ['leaderboard', 'queue-counts'],
  flag: ['queue-counts'],
  revision: ['leaderboard'],
  board: ['leaderboard'],
}
