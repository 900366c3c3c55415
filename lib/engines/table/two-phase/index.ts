// The steps of a two-phase commit. They have an entry of their own, so a function loads them only when it merges.

export { recoverStaged } from './commit.ts'
export { settle } from './settle.ts'
export { stageCounters, stagePart } from './stage.ts'
export * as transaction from './transaction.ts'
