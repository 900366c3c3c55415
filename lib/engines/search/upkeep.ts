import type { SearchUpkeep } from './query.ts'

// The upkeep of the embedded engine. Each function loads its code when it is called. So the bundle of a function that
// only searches does not include the code that it does not call.

/** Implements `compactIfDue` of the port. */
export const compactIfDue: SearchUpkeep['compactIfDue'] = async () =>
  (await (await import('./model/compact.ts')).compactIfDue())?.documents ?? 0

/** Implements `compactNow` of the port. */
export const compactSearch: SearchUpkeep['compactNow'] = async () => (await import('./model/operate.ts')).compactNow()

/** Implements `rebuild` of the port. */
export const rebuildSearch: SearchUpkeep['rebuild'] = async (progress) =>
  (await import('./model/operate.ts')).rebuild(progress)

/** Implements `describe` of the port. */
export const describeSearch: SearchUpkeep['describe'] = async () => (await import('./model/operate.ts')).describe()

/** Implements `check` of the port. */
export const checkSearch: SearchUpkeep['check'] = async () =>
  (await import('./model/snapshot-health.ts')).snapshotHealth()
