import { AsyncLocalStorage } from 'node:async_hooks'
import type { Write } from './item.ts'
import { type Key, keyOf, place } from './keys.ts'

type Stored = Record<string, unknown>

const pending = new AsyncLocalStorage<ReadonlyMap<string, Stored | undefined>>()

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
  if (!writes) return found
  for (const at of keys.map(place)) {
    const written = writes.get(at)
    if (written) found.set(at, written)
    else if (writes.has(at)) found.delete(at)
  }
  return found
}
