import { invalidObject } from '../base/errors.ts'
import { actionsOf, MOST_ACTIONS, runUnit, type UnitOfWork } from '../engines/table/index.ts'
import { invalidate } from './cache/cached.ts'

/**
 * Opens a unit of work, runs `work` with it and commits it; see `runUnit`. For work that no request's unit covers: projectors,
 * sweepers, workers, and what has to be stored before the request itself is. Fails with `invalid` when the unit holds more than
 * one transaction takes. What caches hold of the changed types is stale afterwards.
 */
export const inUnit = <T>(work: (unit: UnitOfWork) => T | Promise<T>): Promise<T> =>
  runUnit(work, async (writes, commit) => {
    if (actionsOf(writes) > MOST_ACTIONS)
      throw invalidObject('Too many values, names and new records at once. Send them in parts.')
    await commit(writes)
    await invalidate(writes.flatMap((write) => write.type ?? []))
  })
