import { AsyncLocalStorage } from 'node:async_hooks'
import type { Dependency } from '../errors.ts'

/** The cost of a request so far. It is ambient (`AsyncLocalStorage`), so that no function has to pass it on. */
export type Meter = {
  calls: number
  units: number
  /** Repeated attempts of table calls, whatever made the first ones fail. */
  retries: number
  operations: string[]
  /** Calls under way, by the dependency that is called. */
  pending: Map<Dependency, number>
  cache_hits: number
  cache_misses: number
  /** The id of the request that caused the current work. */
  request_id: string | undefined
}

const storage = new AsyncLocalStorage<Meter | undefined>()

/** Runs `work` with a new meter. All its writes store `request_id`. */
export async function measureCost<T>(work: (meter: Meter) => Promise<T>, request_id?: string): Promise<T> {
  const meter: Meter = {
    calls: 0,
    units: 0,
    retries: 0,
    operations: [],
    pending: new Map(),
    cache_hits: 0,
    cache_misses: 0,
    request_id,
  }
  return storage.run(meter, () => work(meter))
}

/** Runs `work` without adding its cost to the current request. */
export const withoutMeter = <T>(work: () => Promise<T>): Promise<T> => storage.run(undefined, work)

/** The cost of the current request. Undefined outside of a request. */
export const currentMeter = (): Meter | undefined => storage.getStore()

/** Counts one call to the table with its capacity units. */
export function noteCall(operation: string, units: number): void {
  const meter = storage.getStore()
  if (!meter) return
  meter.calls += 1
  meter.units += units
  meter.operations.push(operation)
}

/** Notes that a call of a dependency is under way until it ends, and returns its result. */
export async function notePending<T>(dependency: Dependency, call: () => Promise<T>): Promise<T> {
  const pending = storage.getStore()?.pending
  if (!pending) return call()
  const add = (calls: number) => pending.set(dependency, (pending.get(dependency) ?? 0) + calls)
  add(1)
  try {
    return await call()
  } finally {
    add(-1)
  }
}

/** A dependency with a call under way. Undefined if there is none. */
export const pendingDependency = ({ pending }: Meter): Dependency | undefined =>
  [...pending].find(([, calls]) => calls > 0)?.[0]

/** Adds the retries of a call, which are all its attempts but the first. A failed call counts, too. */
export function noteAttempts(attempts = 1): void {
  const meter = storage.getStore()
  if (meter) meter.retries += attempts - 1
}

/** Counts a hit or a miss of a cache. */
export function noteCache(outcome: 'cache_hits' | 'cache_misses'): void {
  const meter = storage.getStore()
  if (meter) meter[outcome] += 1
}
