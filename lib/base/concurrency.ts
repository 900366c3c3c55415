/** Splits a list into parts of at most `size` items, in order. */
export const splitIntoParts = <T>(all: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, part) => all.slice(part * size, (part + 1) * size))

/**
 * Runs `work` on every item, at most `width` at a time. Returns the results in the order of the items.
 * After a failure no further item starts. The first failure is thrown once all items under way have ended.
 */
export async function mapAtOnce<T, R>(
  all: readonly T[],
  width: number,
  work: (item: T, index: number) => Promise<R>,
): Promise<R[]> {
  const results: R[] = new Array(all.length)
  let next = 0
  const runLane = async () => {
    while (next < all.length) {
      const index = next++
      try {
        results[index] = await work(all[index] as T, index)
      } catch (error) {
        next = all.length
        throw error
      }
    }
  }
  const lanes = Array.from({ length: Math.min(width, all.length) }, runLane)
  for (const end of await Promise.allSettled(lanes)) if (end.status === 'rejected') throw end.reason
  return results
}
