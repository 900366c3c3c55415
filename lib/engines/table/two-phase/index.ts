// The steps of a two-phase commit. An entry of its own, so that a function that only merges in the background loads them then.

export { recoverStaged } from './commit.ts'
export { settle } from './settle.ts'
export { stageCounters, stagePart } from './stage.ts'
export * as transaction from './transaction.ts'
