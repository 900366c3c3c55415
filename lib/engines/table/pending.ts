import { AsyncLocalStorage } from 'node:async_hooks'
import type { Write } from './item.ts'
import { type Key, keyOf, place } from './keys.ts'

type Stored = Record<string, unknown>

/** What waits to be stored, by `pk sk`; undefined for what will be gone. */
export type Pending = Map<string, Stored | undefined>
// Ambient, since what shows a thing is the same code for who reads it and for who changes it, and only the latter has a unit.
const pending = new AsyncLocalStorage<Pending>()

/** Runs `work` so that its reads by key find what lies in `writes` at that moment. */
export const withPendingReads = <T>(writes: Pending, work: () => Promise<T>): Promise<T> => pending.run(writes, work)

/** Runs `work` so that its reads by key find these writes, which are not in the table yet. Lists and counts do not. */
export const reading = <T>(writes: readonly Write[], work: () => Promise<T>): Promise<T> =>
  pending.run(new Map(writes.flatMap(placed)), work)

function placed({ action: { Put, Delete } }: Write): [string, Stored | undefined][] {
  if (Put?.Item) return [[placeOf(Put.Item), Put.Item]]
  return Delete?.Key ? [[placeOf(Delete.Key), undefined]] : []
}

const placeOf = (it: Stored) => place(keyOf(it))

/** What was found under these keys, by `pk sk`, with what waits to be written there in its place. */
export function withPending(keys: readonly Key[], found: Map<string, Stored>): Map<string, Stored> {
  const writes = pending.getStore()
  if (!writes?.size) return found
  for (const at of keys.map(place)) {
    const written = writes.get(at)
    if (written) found.set(at, written)
    else if (writes.has(at)) found.delete(at)
  }
  return found
}
