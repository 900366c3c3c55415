/**
 * The second entry of the engine: what makes and checks snapshots. Functions that only ask or append do not import it,
 * so their bundles lack the code that packs snapshots.
 */
export { compactIfDue } from './model/compact.ts'
export { rebuildSnapshot } from './model/rebuild.ts'
export { snapshotHealth } from './model/snapshot-health.ts'
