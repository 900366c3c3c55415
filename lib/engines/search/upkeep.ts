import { config } from '../../base/config.ts'
import { impossible } from '../../base/errors.ts'
import type { SearchUpkeep } from './query.ts'

// The upkeep of the engine that answers: the embedded one, or the server of `SEARCH_URL`. Each function loads its code when it is called. So
// the bundle of a function that only searches does not include the code that it does not call.

const server = () => import('./opensearch/upkeep.ts')
const isServed = () => config.SEARCH_URL !== ''

/** Implements `compactIfDue` of the port. */
export const compactIfDue: SearchUpkeep['compactIfDue'] = async () => {
  if (isServed()) return (await server()).compactIfDue()
  return (await (await import('./model/compact.ts')).compactIfDue())?.documents ?? 0
}

/** Prepares the engine for the next questions, due or not. Returns a report for the operator. */
export const compactSearch: SearchUpkeep['compactNow'] = async () =>
  isServed() ? (await server()).compactNow() : (await import('./model/operate.ts')).compactNow()

/** Implements `rebuild` of the port. */
export const rebuildSearch: SearchUpkeep['rebuild'] = async (progress) =>
  isServed() ? (await server()).rebuild(progress) : (await import('./model/operate.ts')).rebuild(progress)

/** Implements `rollBack` of the port. */
export const rollBackSearch: SearchUpkeep['rollBack'] = async () => {
  if (isServed()) return (await server()).rollBack()
  throw impossible('The embedded engine keeps no state to go back to: a broken snapshot is passed over by itself.')
}

/** Implements `describe` of the port. */
export const describeSearch: SearchUpkeep['describe'] = async () =>
  isServed() ? (await server()).describe() : (await import('./model/operate.ts')).describe()

/** Implements `check` of the port. */
export const checkSearch: SearchUpkeep['check'] = async () =>
  isServed()
    ? (await import('./opensearch/check.ts')).check()
    : (await import('./model/snapshot-health.ts')).snapshotHealth()
