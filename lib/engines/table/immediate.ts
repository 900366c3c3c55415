// Writes that are stored immediately, without the unit of work of a request. They are for background work (projector, sweepers, workers)
// and for infrastructure (throttles, caches, sequences, locks, and the pipeline that opens the unit of a request). A handler uses the unit
// that it gets. tests/contract/writes.test.ts follows each GET. It fails if a GET reaches this file or `two-phase/index.ts`, which has the
// steps of a two-phase commit.

// A lock for work of one process at a time.
export { withLock } from './lease.ts'
// The table as a whole.
export { scanRaw } from './scan.ts'
// Numbers of a sequence, units of work of their own, and writes outside of any unit.
export { nextNumber } from './sequence.ts'
export { commitTogether } from './together.ts'
export { commitPlan, commitWrites, runUnit } from './unit-of-work.ts'
export { addBelowLimit, addToNumber, addToNumbers, putIfUnchanged, putItem, raiseNumber, removeItems } from './write.ts'
