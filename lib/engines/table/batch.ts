import { unavailable } from '../../base/errors.ts'
import { type Backoff, pauseAfter } from '../../base/retry.ts'

/** The most items of one `BatchWriteItem`. A transaction takes more: `MOST_ACTIONS`. */
export const WRITES_IN_CALL = 25
/** Items that DynamoDB reads by key in one call. */
export const READS_IN_CALL = 100

/** Attempts for a batch. The pauses take about 3 seconds in all, 6 at most. */
const ATTEMPTS = 8

/**
 * Sends a batch of requests. `send` returns those that the table did not process; they are sent again after a pause.
 * Fails with `unavailable` if some are left after all attempts.
 */
export async function sendUnprocessed<T>(
  requests: readonly T[],
  send: (some: readonly T[]) => Promise<readonly T[]>,
  { attempts, ...backoff }: Backoff & { attempts: number } = { attempts: ATTEMPTS, first: 25, most: 1600 },
): Promise<void> {
  let left = requests
  for (let attempt = 1; left.length > 0; attempt += 1) {
    if (attempt > attempts) throw unavailable(undefined, 'table')
    if (attempt > 1) await pauseAfter(attempt, backoff)
    left = await send(left)
  }
}
