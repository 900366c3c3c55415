import { currentMeter } from '../../base/telemetry/request-cost.ts'

type Stored = Record<string, unknown>

/** Items of its caller that a request has read, by `pk sk`. They are kept, since its results often name the same person. */
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
