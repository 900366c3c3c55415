import { isConflict } from '../../base/errors.ts'

/** A lot of items that were looked at. An item that others change at this moment counts as changed. `next` is where the next lot begins; null after the last. */
export type Lot = { next: string | null; changed: number }
/** Rewrites up to `most` items after a position. Safe to repeat, and to run beside requests. */
export type Rewrite = (position: string | null, most: number) => Promise<Lot>

/**
 * A step from one layout to the next. Readers understand the layouts before and after it at any time, so it runs while the service works.
 * `back` takes the step back, so that an earlier version can be deployed again.
 */
export type Step = { to: number; title: string; forward: Rewrite; back: Rewrite }

/** For `catch` of a rewrite: a conflict counts as a change, so that another pass looks at the item again. Any other failure is thrown again. */
export function trueIfConflict(error: unknown): true {
  if (!isConflict(error)) throw error
  return true
}
