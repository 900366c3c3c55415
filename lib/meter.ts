import { AsyncLocalStorage } from 'node:async_hooks'

/** What one request has cost so far. Ambient, because only the log line and the benchmarks read it. */
export type Meter = { calls: number; units: number; operations: string[] }

const storage = new AsyncLocalStorage<Meter>()

/** Runs `work` with a fresh meter; answers both. */
export async function metered<T>(work: (meter: Meter) => Promise<T>): Promise<T> {
  const meter: Meter = { calls: 0, units: 0, operations: [] }
  return storage.run(meter, () => work(meter))
}

/** What the present request has cost; undefined outside of one. */
export const cost = (): Meter | undefined => storage.getStore()

/** Notes one call to the table and its capacity units. */
export function count(operation: string, units: number): void {
  const meter = storage.getStore()
  if (!meter) return
  meter.calls += 1
  meter.units += units
  meter.operations.push(operation)
}
