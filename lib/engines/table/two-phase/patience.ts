import { setTimeout as sleep } from 'node:timers/promises'
import { clock } from '../../../base/clock.ts'
import { isProblem } from '../../../base/errors.ts'

/** What a table answers that cannot at the moment, beyond what the SDK has tried again by itself. */
const throttles = new Set([
  // A transaction of others holds the item, for some milliseconds.
  'TransactionConflictException',
  'ProvisionedThroughputExceededException',
  'ThrottlingException',
  'RequestLimitExceeded',
  'ThrottlingError',
])

/** Whether the table had no room, or others were at work on the item: nothing is wrong but the moment. */
export const isThrottle = (error: unknown): boolean =>
  isProblem(error, 'unavailable') || (error instanceof Error && throttles.has(error.name))

/** So often a write is tried that the table cannot take: some 30 seconds in all. */
const ATTEMPTS = 20

/** Work that the table may not take for a while. Back-off with full jitter, 3 seconds at most. */
// prove: patient
export async function patiently<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work()
    } catch (error) {
      if (attempt === ATTEMPTS || !isThrottle(error)) throw error
    }
    await sleep(clock.random(Math.min(50 * 2 ** attempt, 3000)) + 1)
  }
}

/** So many writes are under way at the same time. */
const AT_ONCE = 32

/** The time is over that there was for some work. */
export class TimeOver extends Error {}
/** Fails with `TimeOver` when the time is over, in milliseconds of `performance.now()`. */
export function checkTime(until: number): void {
  if (performance.now() >= until) throw new TimeOver()
}

/**
 * Does the work for each, patiently and several at once. None goes on once the failure of another is told; none begins when
 * the time is over, in milliseconds of `performance.now()`, and then it fails with `TimeOver`.
 */
export async function eachOf<T>(
  all: readonly T[],
  work: (one: T) => Promise<void>,
  until = Number.POSITIVE_INFINITY,
): Promise<void> {
  const left = [...all]
  const worker = async () => {
    try {
      for (let one = left.shift(); one !== undefined; one = left.shift()) {
        const it = one
        checkTime(until)
        await patiently(() => work(it))
      }
    } catch (error) {
      left.length = 0
      throw error
    }
  }
  const ended = await Promise.allSettled(Array.from({ length: Math.min(AT_ONCE, left.length) }, worker))
  const failed = ended.find((it) => it.status === 'rejected')
  if (failed) throw failed.reason
}

/** So many items are written in one call. */
const IN_ONE_CALL = 25
/** Items as calls take them. */
export const inCalls = <T>(all: readonly T[]): T[][] =>
  Array.from({ length: Math.ceil(all.length / IN_ONE_CALL) }, (_, i) =>
    all.slice(i * IN_ONE_CALL, (i + 1) * IN_ONE_CALL),
  )
