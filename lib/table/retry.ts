import { clock } from '../clock.ts'
import { isConflict } from '../errors.ts'
import type { Write } from './item.ts'
import { transact } from './write.ts'

/** What is to be written, and what it comes to. */
export type Plan<T> = { result: T; writes: readonly Write[] }

/**
 * Optimistic concurrency: what is planned on things as they were read is written on condition that they are still so, and
 * planned anew where they are not. `plan` gets the number of the attempt, 1 the first; what it throws is final. No writes
 * are nothing to do. Fails with the conflict of the last attempt.
 */
export async function retryOnConflict<T>(
  plan: (attempt: number) => Promise<Plan<T>>,
  { attempts = 5, write = transact, when = isConflict }: Options = {},
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    const { result, writes } = await plan(attempt)
    try {
      if (writes.length > 0) await write(writes)
      return result
    } catch (error) {
      if (attempt === attempts || !when(error)) throw error
    }
    // Many who try again at once would be in each other's way once more.
    if (attempt > 2) await new Promise((done) => setTimeout(done, clock.random(20 * attempt)))
  }
}

type Options = {
  attempts?: number
  /** How the writes are stored: in one transaction, unless something goes with it. */
  write?: (writes: readonly Write[]) => Promise<void>
  /** After which failures there is another attempt. */
  when?: (error: unknown) => boolean
}
