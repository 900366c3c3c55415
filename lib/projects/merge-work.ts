import type { Write } from '../table/item.ts'
import { checkTime } from '../table/two-phase/patience.ts'
import type { Whole } from './projects.ts'
import type { Kept } from './snapshots.ts'

/** What a merge or a rollback has to do, in parts that can each be planned anew. */
export type Work = {
  /** How many parts there are. */
  parts: number
  /** How many records there are. */
  of: number
  /** What is to be written of one part, from 0, as things are now. Fails with `TimeOver` between two calls once the time is over. */
  plan: (part: number, until: number) => Promise<PartPlan>
  /** What is written with the switch, and the project as it is then; made anew when others were faster. */
  last: (results: readonly PartResult[]) => Promise<Last>
}
export type Last = { writes: readonly Write[]; whole: Whole }

export type PartPlan = PartResult & { writes: readonly Write[] }

/** What is to be remembered of a part until the end. */
export type PartResult = {
  /** The records that it has dealt with. */
  records: number
  /** Where the state of its records is kept. */
  kept?: Kept | undefined
  /** Records that were left as they are. */
  left?: readonly string[] | undefined
}

/** So many records are one part, which takes a second or less; and so many are read at the same time. */
export const limits = { recordsInPart: 10, atOnce: 16 }

/** So many records a second a merge gets done, as `npm run bench -- projects` measures it. */
export const PACE = 50

/** So many blockers are named. */
export const MOST_BLOCKERS = 100

/** A list in pieces. */
export const inParts = <T>(all: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, i) => all.slice(i * size, (i + 1) * size))

/** Does the work for all, a few at the same time, unless the time is over. */
export async function inTurns<T>(all: readonly T[], until: number, work: (one: T) => Promise<void>): Promise<void> {
  for (const some of inParts(all, limits.atOnce)) {
    checkTime(until)
    await Promise.all(some.map(work))
  }
  checkTime(until)
}
