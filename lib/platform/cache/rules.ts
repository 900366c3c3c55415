/** The sorts of answer that are kept, and for how many seconds. The table counts a version of each. */
export const cacheTtls = {
  leaderboard: { seconds: 120 },
  'queue-counts': { seconds: 30 },
} as const satisfies Record<string, { seconds: number }>
export type CacheName = keyof typeof cacheTtls

/** What a process remembers of the table as it was read, and for how many seconds. Their versions are counted alike. */
export const rememberedFor = {
  /** Rows of records, with the names of what they link to and of their contributors, and the sizes of their lists. */
  records: { seconds: 30 },
} as const satisfies Record<string, { seconds: number }>
export type RememberedName = keyof typeof rememberedFor

/** What a change of an item of each type makes stale. Beside the five rules of the specification: what a board shows, and what rows of records name. */
export const invalidatedBy: Readonly<Record<string, readonly (CacheName | RememberedName)[]>> = {
  submission: ['leaderboard'],
  record: ['leaderboard', 'queue-counts', 'records'],
  source: ['records'],
  claims: ['records'],
  username: ['records'],
  decision: ['leaderboard', 'queue-counts'],
  flag: ['queue-counts'],
  revision: ['leaderboard'],
  board: ['leaderboard'],
}
