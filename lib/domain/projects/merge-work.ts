import { mapAtOnce } from '../../base/concurrency.ts'
import type { Write } from '../../engines/table/index.ts'
import { checkTime } from '../../engines/table/index.ts'
import type { Whole } from './projects.ts'
import type { StoredObject } from './snapshots.ts'

/** The work of a merge or a rollback, in parts that can each be planned again. */
export type Work = {
  parts: number
  /** How many records there are. */
  of: number
  /** Plans the writes of one part, from 0, as things are now. Fails with `TimeOver` once the time is over. */
  plan: (part: number, until: number) => Promise<PartPlan>
  /** The writes that go with the switch, and the project after it. Called again after a conflict. */
  last: (results: readonly PartResult[]) => Promise<Last>
}
export type Last = { writes: readonly Write[]; whole: Whole }

export type PartPlan = PartResult & { writes: readonly Write[] }

/** The result of a part, stored until the end. */
export type PartResult = {
  /** Records that are done with this part. */
  records: number
  /** Where the state of its records before the merge is stored. */
  kept?: StoredObject | undefined
  /** Records that were left as they are. */
  left?: readonly string[] | undefined
}

export const partLimits = {
  /** Records staged in one part, which takes a second or less. */
  recordsInPart: 10,
  /** Items that are read or planned in parallel. */
  atOnce: 16,
}

/** Records per second that a merge accepts, measured by `npm run bench -- projects`. */
export const PACE = 50

/** The most blockers that an answer names. */
export const MOST_BLOCKERS = 100

/** Runs `work` for each item, `partLimits.atOnce` at a time. Fails with `TimeOver` when `until` has passed. */
export async function forEachWithin<T>(
  items: readonly T[],
  until: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  await mapAtOnce(items, partLimits.atOnce, (item) => {
    checkTime(until)
    return work(item)
  })
  checkTime(until)
}
