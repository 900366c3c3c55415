/** The sorts of cached answers, and their lifetime. The table has a version of each sort. */
export const cacheTtls = {
  leaderboard: { seconds: 120 },
  'queue-counts': { seconds: 30 },
} as const satisfies Record<string, { seconds: number }>
export type CacheName = keyof typeof cacheTtls

/** The sorts of remembered reads, and their lifetime. They have versions, too. */
export const rememberedFor = {
  /** Rows of records, with the names of what they link to and of their contributors, and the sizes of their lists. */
  records: { seconds: 30 },
} as const satisfies Record<string, { seconds: number }>
export type RememberedName = keyof typeof rememberedFor

/** The sorts that a change of an item makes stale, by the item's type. */
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
