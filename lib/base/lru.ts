import { clock } from './clock.ts'

/** Values by key, for this process alone. `until` is in milliseconds since 1970; without it a value stays until room is needed. */
export type Lru<K, V> = {
  get: (key: K) => V | undefined
  set: (key: K, value: V, until?: number) => void
  delete: (key: K) => void
}

/**
 * A cache that holds values up to a total size, `most`. What has not been asked for lately makes room. Each value
 * counts for 1 unless `sizeOf` says otherwise. One that is larger than all the room is not kept. Time is that of the
 * service's clock.
 *
 * It is the CLOCK form of LRU: a hit only marks its entry, and when room is needed a marked entry gets a second chance.
 * Entries that move with each hit cost twenty times as much.
 */
export function lru<K, V extends NonNullable<unknown>>(most: number, sizeOf: (value: V) => number = one): Lru<K, V> {
  // In the order in which keys came, or got their second chance.
  const entries = new Map<K, Entry<V>>()
  let held = 0
  const remove = (key: K) => {
    held -= entries.get(key)?.size ?? 0
    entries.delete(key)
  }
  const makeRoom = () => {
    for (const [key, entry] of entries) {
      if (held <= most) return
      const spared = entry.isUsed && !isOver(entry)
      if (spared) {
        entries.delete(key)
        entries.set(key, entry)
        entry.isUsed = false
      } else remove(key)
    }
  }
  return {
    get: (key) => {
      const entry = entries.get(key)
      if (!entry) return undefined
      if (isOver(entry)) {
        remove(key)
        return undefined
      }
      entry.isUsed = true
      return entry.value
    },
    set: (key, value, until = Number.POSITIVE_INFINITY) => {
      remove(key)
      const size = sizeOf(value)
      if (size > most) return
      held += size
      makeRoom()
      entries.set(key, { value, size, until, isUsed: false })
    },
    delete: remove,
  }
}

type Entry<V> = { value: V; size: number; until: number; isUsed: boolean }
/** Most values have no end; for them the clock is not asked. */
const isOver = ({ until }: Entry<unknown>) => until !== Number.POSITIVE_INFINITY && until <= clock.now().getTime()
const one = () => 1
