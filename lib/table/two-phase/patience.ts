import { setTimeout as sleep } from 'node:timers/promises'
import { clock } from '../../clock.ts'
import { isProblem } from '../../errors.ts'

/** What a table answers that has no room at the moment, beyond what the SDK has tried again by itself. */
const throttles = new Set([
  'ProvisionedThroughputExceededException',
  'ThrottlingException',
  'RequestLimitExceeded',
  'ThrottlingError',
])

/** Whether the table had no room: nothing is wrong but the moment. */
export const isThrottle = (error: unknown): boolean =>
  isProblem(error, 'unavailable') || (error instanceof Error && throttles.has(error.name))

/** So often a write is tried that the table has no room for: some 30 seconds in all. */
const ATTEMPTS = 20

/** Work of which the table may have no room for a while. Back-off with full jitter, 3 seconds at most. */
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

/** Does the work for each, patiently and several at once. None goes on once the failure of another is told. */
export async function eachOf<T>(all: readonly T[], work: (one: T) => Promise<void>, atOnce = AT_ONCE): Promise<void> {
  const left = [...all]
  const worker = async () => {
    try {
      for (let one = left.shift(); one !== undefined; one = left.shift()) {
        const it = one
        await patiently(() => work(it))
      }
    } catch (error) {
      left.length = 0
      throw error
    }
  }
  const ended = await Promise.allSettled(Array.from({ length: Math.min(atOnce, left.length) }, worker))
  const failed = ended.find((it) => it.status === 'rejected')
  if (failed) throw failed.reason
}
