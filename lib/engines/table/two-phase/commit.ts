import { isConflict } from '../../../base/errors.ts'
import { settle } from './settle.ts'
import * as transaction from './transaction.ts'

/**
 * What `prepare` answers, once `commit` has switched, or left it to others to do so. When either fails before that, what has
 * been prepared is undone, and the failure told.
 */
export async function allOrNothing<T>(
  id: string,
  prepare: () => Promise<T>,
  commit: (prepared: T) => Promise<void>,
): Promise<T> {
  let prepared: { it: T } | undefined
  try {
    prepared = { it: await prepare() }
    await commit(prepared.it)
    return prepared.it
  } catch (error) {
    if ((await transaction.callOff(id)) && prepared) return prepared.it
    await settle(id).catch(() => undefined)
    throw error
  }
}

/** Completes what was stopped after its switch, and undoes what was stopped before. Answers how many were settled. */
export async function recoverStaged(until?: number): Promise<number> {
  let settled = 0
  for (const it of await transaction.listUnsettled()) {
    await transaction.callOff(it.id)
    try {
      await settle(it.id, until)
      settled += 1
    } catch (error) {
      // Another who settles the same has been faster.
      if (!isConflict(error)) throw error
    }
  }
  return settled
}
