import { isConflict } from '../../errors.ts'
import type { Write } from '../item.ts'
import { settle } from './settle.ts'
import { stageCounters, stagePart } from './stage.ts'
import * as transaction from './transaction.ts'

/** So many writes are one part. */
const MOST_WRITES = 200
/** A few parts are put in place at once, so that what is small is over when it is answered. */
const MOST_WAITED_FOR = 3

/**
 * All of the writes, or none, however many; the `last` ones in the very transaction that switches. Fails as `transact`
 * does, and then nothing has changed; with `conflict` also while another large transaction is at work on the same items.
 */
export async function commitLarge(id: string, writes: readonly Write[], last: readonly Write[]): Promise<void> {
  await transaction.begin(id)
  const parts = Array.from({ length: Math.ceil(writes.length / MOST_WRITES) }, (_, i) =>
    writes.slice(i * MOST_WRITES, (i + 1) * MOST_WRITES),
  )
  const prepare = async () => {
    for (const [i, part] of parts.entries()) await stagePart(id, i + 1, async () => part)
    await stageCounters(id)
  }
  await allOrNothing(id, prepare, () => transaction.switchOver(id, last))
  // From here on it has happened, whatever becomes of the rest: readers see it, and `recoverStaged` completes what nobody waits for.
  if (parts.length <= MOST_WAITED_FOR) await settle(id).catch(() => undefined)
}

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
  for (const it of await transaction.unsettled()) {
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
