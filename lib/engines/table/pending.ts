import { AsyncLocalStorage } from 'node:async_hooks'
import type { Write } from './item.ts'
import { type Key, keyOf, place } from './keys.ts'

type Stored = Record<string, unknown>

/** Writes that are not stored yet, by `pk sk`: the item, or undefined if it will be deleted. */
export type Pending = Map<string, Stored | undefined>
// The map is ambient, since the same code makes the view for a read and for a write, and only a write has a unit. It affects reads alone.
const pending = new AsyncLocalStorage<Pending>()

/** Runs `work` so that its reads by key see what `writes` holds at that moment. */
export const withPendingReads = <T>(writes: Pending, work: () => Promise<T>): Promise<T> => pending.run(writes, work)

/** Runs `work` so that its reads by key see these writes, which are not stored yet. Lists and counts do not. */
export const reading = <T>(writes: readonly Write[], work: () => Promise<T>): Promise<T> =>
  pending.run(new Map(writes.flatMap(entriesOf)), work)

function entriesOf({ action: { Put, Delete } }: Write): [string, Stored | undefined][] {
  if (Put?.Item) return [[placeOf(Put.Item), Put.Item]]
  return Delete?.Key ? [[placeOf(Delete.Key), undefined]] : []
}

const placeOf = (it: Stored) => place(keyOf(it))

/** The items that were read under these keys, with the pending writes in their place. */
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
