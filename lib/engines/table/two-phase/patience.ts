import { mapAtOnce } from '../../../base/concurrency.ts'
import { isProblem } from '../../../base/errors.ts'
import { retry } from '../../../base/retry.ts'

/** Errors of a table that has no capacity at the moment, after the attempts that the SDK makes by itself. */
const throttles = new Set([
  // Another transaction holds the item, for some milliseconds.
  'TransactionConflictException',
  'ProvisionedThroughputExceededException',
  'ThrottlingException',
  'RequestLimitExceeded',
  'ThrottlingError',
])

/** Whether a call failed only because the table had no capacity, or another transaction held the item. It may succeed later. */
export const isThrottle = (error: unknown): boolean =>
  isProblem(error, 'unavailable') || (error instanceof Error && throttles.has(error.name))

/** Attempts for a call that the table throttles, and pauses in milliseconds: about 20 seconds in all. */
const throttled = { attempts: 20, first: 50, most: 3000, when: isThrottle }
/** The longest that one throttled call is repeated, in milliseconds. */
export const LONGEST_REPEATED_MS = 45_000

/** Does work until the table no longer throttles it, 20 attempts in all. */
// prove: patient
export function retryThrottled<T>(work: () => Promise<T>): Promise<T> {
  return retry(work, throttled)
}

export class TimeOver extends Error {}
/** Fails with `TimeOver` once `performance.now()` has reached `until`. */
export function checkTime(until: number): void {
  if (performance.now() >= until) throw new TimeOver()
}

const WRITES_AT_ONCE = 32

/**
 * Runs `work` on all items, 32 at once, each by `retryThrottled`. After a failure no further item starts. Fails with `TimeOver` once
 * `performance.now()` has reached `until`.
 */
export async function forEachThrottled<T>(
  all: readonly T[],
  work: (item: T) => Promise<void>,
  until = Number.POSITIVE_INFINITY,
): Promise<void> {
  await mapAtOnce(all, WRITES_AT_ONCE, async (item) => {
    checkTime(until)
    await retryThrottled(() => work(item))
  })
}
