import { currentMeter } from '../../base/telemetry/request-cost.ts'

type Stored = Record<string, unknown>

/** The items that `getManyOnce` has read for a request, by `pk sk`. They are kept, since later reads of the request often need them again. */
const kept = new WeakMap<object, ReadonlyMap<string, Stored>>()

/** Keeps these items, which were read strongly consistent, until the request writes. A second call replaces them. */
export function keepRead(found: ReadonlyMap<string, Stored>): void {
  const request = currentMeter()
  if (request) kept.set(request, found)
}

/** The kept item under `pk sk`; undefined after the request has written. */
export function keptAt(place: string): Stored | undefined {
  const request = currentMeter()
  return request && kept.get(request)?.get(place)
}

/** Drops the kept items, since the request has written. */
export function forgetKept(): void {
  const request = currentMeter()
  if (request) kept.delete(request)
}
