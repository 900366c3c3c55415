import { invalidObject, type Problem } from '../base/errors.ts'
import { runUnit } from '../engines/table/immediate.ts'
import { actionsOf, type Commit, MOST_ACTIONS, type UnitOfWork, type Write } from '../engines/table/index.ts'
import { invalidateAfter } from './cache/cached.ts'

type Withhold = (writes: readonly Write[]) => Promise<void>
let withhold: Withhold = async () => undefined
/** Sets the function that removes from search what a commit has hidden. A Lambda function that changes nothing in search sets none. */
export function provideWithholding(how: Withhold): void {
  withhold = how
}

/**
 * Opens a unit of work, runs `work` with it and commits it; see `runUnit`. Requests, the projector, the sweeper and workers use it. So do
 * writes that must be stored before their request. Fails with `invalid` if the unit is larger than one transaction. After the commit,
 * cached answers that depend on the writes are stale. Search no longer finds what the writes have hidden. `commit` comes from
 * `commitTogether`.
 */
export const inUnit = <T>(
  work: (unit: UnitOfWork) => T | Promise<T>,
  { commit }: { commit?: Commit } = {},
): Promise<T> =>
  runUnit(work, {
    commit,
    around: async (writes, store) => {
      if (actionsOf(writes) > MOST_ACTIONS) throw tooMany(writes)
      await store(writes)
      await Promise.all([invalidateAfter(writes), withhold(writes)])
    },
  })

/**
 * The error of a unit that is larger than one transaction. Its number leaves out flags, so that the caller learns nothing of a hidden
 * look-alike.
 */
function tooMany(writes: readonly Write[]): Problem {
  const many = actionsOf(writes.filter(({ type }) => type !== 'flag'))
  return invalidObject(
    `Too many values, names and new records at once: they take ${Math.max(many, MOST_ACTIONS + 1)} writes, and ${MOST_ACTIONS} are the most. Send them in parts.`,
  )
}
