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

/** Records in one part, which takes a second or less; and records that are read in parallel. */
export const partLimits = { recordsInPart: 10, atOnce: 16 }

/** Records per second that a merge accepts, measured by `npm run bench -- projects`. */
export const PACE = 50

/** Blockers named at most. */
export const MOST_BLOCKERS = 100

export const splitIntoParts = <T>(all: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, i) => all.slice(i * size, (i + 1) * size))

/** Does the work for all, a few in parallel. Fails with `TimeOver` once the time is over. */
export async function forEachWithin<T>(
  all: readonly T[],
  until: number,
  work: (one: T) => Promise<void>,
): Promise<void> {
  for (const some of splitIntoParts(all, partLimits.atOnce)) {
    checkTime(until)
    await Promise.all(some.map(work))
  }
  checkTime(until)
}
