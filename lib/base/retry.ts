import { setTimeout as sleep } from 'node:timers/promises'
import { clock } from './clock.ts'

/** How a pause grows, in milliseconds: at most `first` x 2^attempt, and never more than `most`. */
export type Backoff = { first: number; most: number }

/**
 * Waits before the next attempt: exponential backoff with full jitter. Chance comes from the clock, so a seed decides it in tests.
 * Source: "Exponential Backoff And Jitter", AWS Architecture Blog, 2015.
 */
export const pauseAfter = (attempt: number, { first, most }: Backoff): Promise<void> =>
  sleep(clock.random(Math.ceil(Math.min(first * 2 ** attempt, most))) + 1)

/** Runs `work` until it succeeds, `attempts` times in all. An error for which `when` is false is thrown at once. */
export async function retry<T>(
  work: () => Promise<T>,
  { attempts, when, ...backoff }: Backoff & { attempts: number; when: (error: unknown) => boolean },
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work()
    } catch (error) {
      if (attempt >= attempts || !when(error)) throw error
    }
    await pauseAfter(attempt, backoff)
  }
}
