import { currentMeter } from '../../base/telemetry/request-cost.ts'

type Stored = Record<string, unknown>

/** What the present request has read of whoever makes it, by `pk sk`: the same people are named in much that they ask for. */
const kept = new WeakMap<object, ReadonlyMap<string, Stored>>()

/** Keeps for the rest of the request what was just read, strongly consistent. */
export function keepRead(found: ReadonlyMap<string, Stored>): void {
  const request = currentMeter()
  if (request) kept.set(request, found)
}

/** What was kept under this place; undefined also when the request has written anything since. */
export function keptAt(place: string): Stored | undefined {
  const request = currentMeter()
  return request && kept.get(request)?.get(place)
}

/** Whoever writes reads anew. */
export function forgetKept(): void {
  const request = currentMeter()
  if (request) kept.delete(request)
}
