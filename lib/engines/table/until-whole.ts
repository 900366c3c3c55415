import { clock } from '../../base/clock.ts'

/** So often something is read of which one half of what is being written is seen: within some 600 ms, where a few are usual. */
const READS = 6

/**
 * What is found, read again while it is one half of a transaction. It may be so still when this gives up: whoever writes
 * by what was read asks again whether it is whole.
 */
export async function untilWhole<T>(
  query: () => Promise<T | undefined>,
  isWhole: (it: T) => boolean,
): Promise<T | undefined> {
  for (let read = 1; ; read += 1) {
    const found = await query()
    if (read === READS || !found || isWhole(found)) return found
    await new Promise((done) => setTimeout(done, clock.random(20 * 2 ** read) + 1))
  }
}
