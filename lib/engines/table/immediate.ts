// Writes that are stored immediately, without the unit of work of a request: for background work (the projector, sweepers, workers)
// and for infrastructure (throttles, caches, sequences, locks, the pipeline, which opens the unit of a request).
// A handler uses the unit that it gets. tests/contract/writes.test.ts follows each GET and fails if it reaches this file, or
// `two-phase/index.ts`, which has the steps of a two-phase commit.

// Units of work of their own.
export { withLock } from './lease.ts'
// The table as a whole.
export { scanRaw } from './scan.ts'
// Numbers of a sequence, and units that are committed together.
export { nextNumber } from './sequence.ts'
export { commitTogether } from './together.ts'
export { commitPlan, commitWrites, runUnit } from './unit-of-work.ts'
export { addBelowLimit, addToNumber, addToNumbers, putIfUnchanged, putItem, raiseNumber, removeItems } from './write.ts'
