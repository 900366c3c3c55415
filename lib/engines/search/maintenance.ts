/**
 * The engine's second entry, to make and check snapshots. Functions that only ask or append do not import it. So their
 * bundles lack the code that builds snapshots.
 */
export { compactIfDue } from './model/compact.ts'
export { rebuildSnapshot } from './model/rebuild.ts'
export { snapshotHealth } from './model/snapshot-health.ts'
