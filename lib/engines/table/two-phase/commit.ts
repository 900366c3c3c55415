import { isConflict } from '../../../base/errors.ts'
import type { Write } from '../item.ts'
import type { UnitOfWork } from '../unit-of-work.ts'
import { settle } from './settle.ts'
import * as transaction from './transaction.ts'

/** Opens the two-phase commit `id`, whose parts are staged next. If the unit is not committed, all that was staged is undone. */
export const beginStaging = (unit: UnitOfWork, id: string): Promise<void> =>
  unit.once(
    `two-phase commit ${id}`,
    () => transaction.openTransaction(id),
    async () => {
      await transaction.callOff(id)
      await settle(id)
    },
  )

/**
 * Commits a unit as the switch of a two-phase commit, for `unit.commitBy`. If it fails, the two-phase commit is called off.
 * If only the reply was lost, the switch has happened, and this does not fail.
 */
export async function switchOrCallOff(id: string, writes: readonly Write[]): Promise<void> {
  try {
    // prove: switch-wait
    await transaction.switchOver(id, writes)
  } catch (error) {
    if (await transaction.callOff(id)) throw error
  }
}

/**
 * Settles two-phase commits that a process left after their switch, and undoes those left before it. Returns how many are finished. Stops
 * when `performance.now()` reaches `until`.
 */
export async function recoverStaged(until?: number): Promise<number> {
  let settled = 0
  for (const { id } of await transaction.listUnsettled()) {
    if (until !== undefined && performance.now() >= until) break
    await transaction.callOff(id)
    try {
      if (await settle(id, until)) settled += 1
    } catch (error) {
      // Another process that settles the same commit was faster.
      if (!isConflict(error)) throw error
    }
  }
  return settled
}
