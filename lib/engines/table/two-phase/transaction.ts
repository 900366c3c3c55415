import * as v from 'valibot'
import { now, nowSeconds } from '../../../base/clock.ts'
import { isConflict, noneIf } from '../../../base/errors.ts'
import { defineItem, put, type Write, withNextVersion } from '../item.ts'
import { key } from '../keys.ts'
import { get, walk } from '../read.ts'
import { transact } from '../transact.ts'
import { cacheSwitch } from './staged.ts'

/** The state of a two-phase commit. Its switch is one conditional write on this item. */
const TwoPhaseCommit = v.object({
  id: v.string(),
  /** `open` until the switch, `done` after it, `void` if it was called off. */
  state: v.picklist(['open', 'done', 'void']),
  /** A worker will continue the commit, so it never counts as abandoned. */
  kept: v.optional(v.boolean(), false),
  /** All of its parts are settled or undone. */
  settled: v.boolean(),
  created_at: v.string(),
  version: v.number(),
})
export type TwoPhaseCommit = v.InferOutput<typeof TwoPhaseCommit>

/** The index partition of the commits that are not settled. */
const UNSETTLED = 'LARGE'
const commitItem = defineItem({
  type: 'large',
  schema: TwoPhaseCommit,
  key: ({ id }: { id: string }) => key.twoPhase(id),
  indexes: (it) => (it.settled ? {} : { gsi2: { pk: UNSETTLED, sk: `${it.created_at}#${it.id}` } }),
  // After a switch, items keep the mark until their next write, and readers look the switch up. After a call-off no mark is left.
  expires: (it) => (it.settled && it.state === 'void' ? nowSeconds() + 7 * 86_400 : undefined),
})

/** Opens a two-phase commit. Fails with `conflict` if this id exists. */
export const openTransaction = (id: string): Promise<void> =>
  transact([
    put(commitItem, { id, state: 'open', kept: false, settled: false, created_at: now(), version: 1 }, undefined),
  ])

/** The state of a two-phase commit; undefined if it does not exist. */
export const findTransaction = (id: string): Promise<TwoPhaseCommit | undefined> => get(commitItem, { id })

/** Notes, in one transaction with `also`, that a worker continues the commit. Fails if the commit is no longer open. */
export async function keepOpen(id: string, also: readonly Write[]): Promise<void> {
  const stored = await findTransaction(id)
  if (stored?.state !== 'open') throw new Error(`the two-phase commit ${id} is not open`)
  await transact([...also, put(commitItem, withNextVersion(stored, { kept: true }), stored)])
}

/**
 * The switch: makes all parts visible in one transaction with `last`. Fails as `transact` does. After a failure the switch may have
 * happened; `findTransaction` shows whether it has. A second switch does nothing.
 */
export async function switchOver(id: string, last: readonly Write[]): Promise<void> {
  const stored = await findTransaction(id)
  if (stored?.state === 'done') return
  if (stored?.state !== 'open') throw new Error(`the two-phase commit ${id} was called off`)
  await transact([...last, put(commitItem, withNextVersion(stored, { state: 'done' }), stored)])
  cacheSwitch(id)
}

/** Calls a two-phase commit off, so that it can never switch. Returns false if the switch has happened already. */
export async function callOff(id: string): Promise<boolean> {
  const stored = await findTransaction(id)
  if (stored?.state === 'open') {
    try {
      await transact([put(commitItem, withNextVersion(stored, { state: 'void' }), stored)])
    } catch (error) {
      if (isConflict(error)) return callOff(id)
      throw error
    }
  }
  return stored?.state !== 'done'
}

/** Notes that all parts are settled or undone. */
export async function noteSettled(stored: TwoPhaseCommit): Promise<void> {
  // A slow process may still stage parts of a commit that was called off. So the commit stays listed for its first ten minutes.
  if (stored.state === 'void' && !isOlderThan(stored, 10 * STALE_MS)) return
  await transact([put(commitItem, withNextVersion(stored, { settled: true }), stored)]).catch(noneIf(isConflict))
}

/** Milliseconds after which an open commit is abandoned. No request works on one for so long. */
const STALE_MS = 60_000
const isOlderThan = ({ created_at }: TwoPhaseCommit, ms: number) => Date.parse(now()) - Date.parse(created_at) >= ms

/** Whether an open commit is so old that its process must have died. Then it may be called off. */
export const isAbandoned = (stored: TwoPhaseCommit): boolean =>
  stored.state === 'open' && !stored.kept && isOlderThan(stored, STALE_MS)

/** The most that one visit of the sweeper reads. */
const MOST_VISITED = 50

/** Two-phase commits that have to be settled or undone, oldest first. */
export async function listUnsettled(): Promise<TwoPhaseCommit[]> {
  const items = await walk({ index: 'gsi2', pk: UNSETTLED, forward: true, limit: MOST_VISITED })
  return items
    .map((item) => v.parse(TwoPhaseCommit, item))
    .filter((stored) => stored.state !== 'open' || isAbandoned(stored))
}
