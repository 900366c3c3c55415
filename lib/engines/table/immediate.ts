// Writes that are stored immediately, without the unit of work of a request: for background work (the projector, sweepers, workers)
// and for infrastructure (throttles, caches, sequences, locks, the pipeline, which opens the unit of a request).
// A handler uses the unit that it gets. tests/contract/writes.test.ts follows each GET and fails if it reaches this file.

// Units of work of their own.
export { withLock } from './lease.ts'
// The table as a whole.
export { scanRaw } from './scan.ts'
// Small numbers, numbers under a limit, single items.
export { nextNumber } from './sequence.ts'
export { commitTogether } from './together.ts'
// The steps of a two-phase commit.
export { recoverStaged } from './two-phase/commit.ts'
export { settle } from './two-phase/settle.ts'
export { stageCounters, stagePart } from './two-phase/stage.ts'
export * as transaction from './two-phase/transaction.ts'
export { commitPlan, commitWrites, runUnit } from './unit-of-work.ts'
export { addBelowLimit, addToNumber, addToNumbers, putIfUnchanged, putItem, raiseNumber, removeItems } from './write.ts'
