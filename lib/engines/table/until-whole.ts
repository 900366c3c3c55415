import { pauseAfter } from '../../base/retry.ts'

/** The most reads while a transaction is being applied. With the pauses they take some 600 ms. Usually two or three are enough. */
const READS = 6
/** Pauses between reads, in milliseconds. */
const backoff = { first: 20, most: 640 }

/**
 * Reads until what was read is whole. A query may see one half of a transaction that is being applied. After the last read it may still
 * return one half, so a caller that bases a write on it checks again.
 */
export async function untilWhole<T>(
  query: () => Promise<T | undefined>,
  isWhole: (result: T) => boolean,
): Promise<T | undefined> {
  for (let read = 1; ; read += 1) {
    const result = await query()
    if (read === READS || !result || isWhole(result)) return result
    await pauseAfter(read, backoff)
  }
}
