import { currentMeter } from './request-cost.ts'

/** Capacity units that a page of a list is planned for. A call of a stranger may use 100, and items differ in size. */
const PLANNED_UNITS = 60

/**
 * Works on items in parts, until the request has used its budget of capacity units. Returns the results, and the number of items that are
 * `done`. The first part has `first` items and is always done, so each page makes progress. The cost per item so far decides how many
 * items follow. Example: 100 changes with their records are one page if the records are small, and four if they are large.
 */
export async function mapWithinBudget<T, R>(
  items: readonly T[],
  first: number,
  work: (part: readonly T[]) => Promise<readonly R[]>,
): Promise<{ results: R[]; done: number }> {
  const units = () => currentMeter()?.units ?? 0
  const before = units()
  const results: R[] = []
  let done = 0
  for (let size = first; size > 0 && done < items.length; ) {
    const part = items.slice(done, done + size)
    results.push(...(await work(part)))
    done += part.length
    const each = Math.max((units() - before) / done, 0.01)
    size = Math.floor((PLANNED_UNITS - units()) / each)
  }
  return { results, done }
}
