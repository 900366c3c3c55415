import { mapAtOnce } from '../../base/concurrency.ts'
import type { Write } from '../../engines/table/index.ts'
import { checkTime } from '../../engines/table/index.ts'
import type { WholeProject } from './projects.ts'
import type { StoredObject } from './snapshots.ts'

/** The work of a merge or a rollback, in parts that can each be planned again. */
export type WorkInParts = {
  parts: number
  /** The number of records. */
  of: number
  /** Plans the writes of one part, counted from 0, from the present state. Fails with `TimeOver` when `until` has passed. */
  planPart: (part: number, until: number) => Promise<PartPlan>
  /** Plans the writes that go with the switch. Called again after a conflict. */
  planLast: (results: readonly PartResult[]) => Promise<LastWrites>
}
/** The writes that go with the switch, and the project after it. */
export type LastWrites = { writes: readonly Write[]; whole: WholeProject }

export type PartPlan = PartResult & { writes: readonly Write[] }

/** The result of a part, stored until the switch. */
export type PartResult = {
  /** The number of records in the part. */
  records: number
  /** The object that holds its records as they are before and after the merge. */
  kept?: StoredObject | undefined
  /** The ids of records that a rollback left unchanged. */
  left?: readonly string[] | undefined
  /** Why each of these was left. */
  reasons?: Readonly<Record<string, readonly string[]>> | undefined
}

export const partLimits = {
  /** Records staged in one part, which takes a second or less. */
  recordsInPart: 10,
  /** Items that are read or planned in parallel. */
  atOnce: 16,
}

/** Records per second that a merge accepts, measured by `npm run bench -- projects`. */
export const RECORDS_PER_SECOND = 50

/** The most blockers that an answer names. */
export const MAX_BLOCKERS = 100

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
