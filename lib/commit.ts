import { invalidate } from './cache/cached.ts'
import { invalidObject, isProblem } from './errors.ts'
import type { Write } from './table/item.ts'
import { noteInUnit, type Plan, retryOnConflict } from './table/retry.ts'
import { actionsOf, MOST_ACTIONS } from './table/transact.ts'
import { transact } from './table/write.ts'

/**
 * Writes a contribution at once, or with the answer of the unit of work in which this happens; tells that it holds more than one
 * transaction takes. Nothing to write is nothing to do.
 */
export async function commit(writes: readonly Write[]): Promise<void> {
  if (writes.length > 0 && !noteInUnit(writes, commitNow)) await commitNow(writes)
}

/** Notes what is written with the answer of the unit of work in which this happens, so there is nothing to wait for. Fails where there is none. */
export function commitWithAnswer(writes: readonly Write[]): void {
  if (!noteInUnit(writes, commitNow)) throw new Error('nothing is answered here that this could be written with')
}

async function commitNow(writes: readonly Write[]): Promise<void> {
  if (actionsOf(writes) > MOST_ACTIONS)
    throw invalidObject('Too many values, names and new records at once. Send them in parts.')
  await transact(writes)
  await invalidate(writes.flatMap((write) => write.type ?? []))
}

/**
 * Commits a plan that may make new records by name. It is made anew when another contribution makes one of them at the same
 * moment: then it is found, as soon as all of it is in place. Waits for that for some 3 seconds in all, 5 at most.
 */
export const commitNaming = <T>(plan: () => Promise<Plan<T>>): Promise<T> =>
  retryOnConflict(plan, { attempts: 8, write: commitNow, when: (error) => isProblem(error, 'being_made') })

/** Commits a plan, which is made anew when others change the same things at the same time; see `retryOnConflict`. */
export const commitPlan = <T>(plan: (attempt: number) => Promise<Plan<T>>, attempts?: number): Promise<T> =>
  retryOnConflict(plan, { ...(attempts !== undefined && { attempts }), write: commitNow })
