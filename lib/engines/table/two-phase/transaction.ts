import * as v from 'valibot'
import { now, nowSeconds } from '../../../base/clock.ts'
import { isConflict, noneIf } from '../../../base/errors.ts'
import { defineItem, put, type Write, withNextVersion } from '../item.ts'
import { key } from '../keys.ts'
import { get, walk } from '../read.ts'
import { transact } from '../write.ts'
import { knowSwitched } from './staged.ts'

/** A large transaction as a whole: where it stands. Its switch is one conditional write on this item. */
const Large = v.object({
  id: v.string(),
  /** `open` until the switch; `done` after it; `void` when there will be none. */
  state: v.picklist(['open', 'done', 'void']),
  /** Someone goes on with it, however long it rests: nobody else calls it off. */
  kept: v.optional(v.boolean(), false),
  /** Nothing of it is left to put in place or to clear away. */
  settled: v.boolean(),
  created_at: v.string(),
  version: v.number(),
})
export type Large = v.InferOutput<typeof Large>

const UNSETTLED = 'LARGE'
const large = defineItem({
  type: 'large',
  schema: Large,
  key: ({ id }: { id: string }) => key.large(id),
  indexes: (it) => (it.settled ? {} : { gsi2: { pk: UNSETTLED, sk: `${it.created_at}#${it.id}` } }),
  // Items carry the mark of a transaction that is done until they are next written; one that was called off left none.
  expires: (it) => (it.settled && it.state === 'void' ? nowSeconds() + 7 * 86_400 : undefined),
})

/** Opens one. Fails with `conflict` when there is one with this id. */
export const begin = (id: string): Promise<void> =>
  transact([put(large, { id, state: 'open', kept: false, settled: false, created_at: now(), version: 1 }, undefined)])

/** How it stands; undefined when there is none. */
export const find = (id: string): Promise<Large | undefined> => get(large, { id })

/** Says that someone goes on with it, in one transaction with `also`. Fails with `conflict` when it is open no more. */
export async function keepOpen(id: string, also: readonly Write[]): Promise<void> {
  const found = await find(id)
  if (found?.state !== 'open') throw new Error(`the large transaction ${id} is not open`)
  await transact([...also, put(large, withNextVersion(found, { kept: true }), found)])
}

/** Makes it visible, all at once and in one transaction with `last`. Fails as `transact` does. After a failure only `find` tells whether it happened. */
export async function switchOver(id: string, last: readonly Write[]): Promise<void> {
  const found = await find(id)
  if (found?.state === 'done') return
  if (found?.state !== 'open') throw new Error(`the large transaction ${id} was called off`)
  await transact([...last, put(large, withNextVersion(found, { state: 'done' }), found)])
  knowSwitched(id)
}

/** Whether the switch has happened, although its reply may be lost; if not, it never will. */
export async function callOff(id: string): Promise<boolean> {
  const found = await find(id)
  if (found?.state === 'open') {
    try {
      await transact([put(large, withNextVersion(found, { state: 'void' }), found)])
    } catch (error) {
      if (isConflict(error)) return callOff(id)
      throw error
    }
  }
  return found?.state === 'done'
}

/** Notes that nothing is left to do. */
export async function noteSettled(it: Large): Promise<void> {
  // One whose switch was called off may still be heard of by a writer who is late.
  if (it.state === 'void' && !isStale(it, 10)) return
  await transact([put(large, withNextVersion(it, { settled: true }), it)]).catch(noneIf(isConflict))
}

/** Longer than anyone who answers a request works on one. */
const STALE_MS = 60_000
const isStale = (it: Large, times = 1) => Date.parse(now()) - Date.parse(it.created_at) >= times * STALE_MS

/** Whether whoever has opened it is gone: it may be called off. */
export const isAbandoned = (it: Large): boolean => it.state === 'open' && !it.kept && isStale(it)

/** So many are looked at in one visit. */
const MOST_VISITED = 50

/** Those that somebody has to put in place or to clear away, oldest first. */
export async function listUnsettled(): Promise<Large[]> {
  const items = await walk({ index: 'gsi2', pk: UNSETTLED, forward: true, limit: MOST_VISITED })
  return items.map((item) => v.parse(Large, item)).filter((it) => it.state !== 'open' || isAbandoned(it))
}
