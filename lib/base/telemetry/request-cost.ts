import { AsyncLocalStorage } from 'node:async_hooks'

/**
 * What one request has cost so far. It is ambient, because only the log line, the stored trace of a write and the
 * benchmarks read it.
 */
export type Meter = {
  calls: number
  units: number
  /** Attempts beyond the first: the table or the network was busy. */
  retries: number
  operations: string[]
  cache_hits: number
  cache_misses: number
  /** The id of the request, or of the one that caused the present work. */
  request_id: string | undefined
}

const storage = new AsyncLocalStorage<Meter>()

/** Runs `work` with a fresh meter. `request_id` names the cause of all that is written meanwhile. */
export async function measureCost<T>(work: (meter: Meter) => Promise<T>, request_id?: string): Promise<T> {
  const meter: Meter = {
    calls: 0,
    units: 0,
    retries: 0,
    operations: [],
    cache_hits: 0,
    cache_misses: 0,
    request_id,
  }
  return storage.run(meter, () => work(meter))
}

/** What the present request has cost; undefined outside of one. */
export const currentMeter = (): Meter | undefined => storage.getStore()

/** Notes one call to the table and its capacity units. */
export function noteCall(operation: string, units: number): void {
  const meter = storage.getStore()
  if (!meter) return
  meter.calls += 1
  meter.units += units
  meter.operations.push(operation)
}

/** Notes how many attempts a call took, whether it succeeded or not. */
export function noteAttempts(attempts = 1): void {
  const meter = storage.getStore()
  if (meter) meter.retries += attempts - 1
}

/** Notes an answer of a cache. */
export function noteCache(found: 'cache_hits' | 'cache_misses'): void {
  const meter = storage.getStore()
  if (meter) meter[found] += 1
}
