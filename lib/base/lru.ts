import { clock } from './clock.ts'

/** A cache of this process. `until` is in milliseconds since 1970. Without it, a value stays until its place is needed. */
export type Lru<K, V> = {
  get: (key: K) => V | undefined
  set: (key: K, value: V, until?: number) => void
  delete: (key: K) => void
}

/**
 * Makes a cache of values up to a total size, `most`. Values that were not read recently are removed first. Without `sizeOf`, each value has
 * the size 1. A value larger than `most` is not cached. Time is that of the service's clock.
 *
 * It is the CLOCK form of LRU: a hit only marks its entry, and an entry with a mark gets a second chance before it is removed. To move an
 * entry with each hit takes twenty times as long.
 */
export function lru<K, V extends NonNullable<unknown>>(
  most: number,
  sizeOf: (value: V) => number = () => 1,
): Lru<K, V> {
  // Sorted by the time at which a key was added or got its second chance.
  const entries = new Map<K, Entry<V>>()
  let size = 0
  const remove = (key: K) => {
    size -= entries.get(key)?.size ?? 0
    entries.delete(key)
  }
  const makeRoom = () => {
    for (const [key, entry] of entries) {
      if (size <= most) return
      const isSpared = entry.isUsed && !isExpired(entry)
      if (isSpared) {
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
      if (isExpired(entry)) {
        remove(key)
        return undefined
      }
      entry.isUsed = true
      return entry.value
    },
    set: (key, value, until = Number.POSITIVE_INFINITY) => {
      remove(key)
      const valueSize = sizeOf(value)
      if (valueSize > most) return
      size += valueSize
      makeRoom()
      entries.set(key, { value, size: valueSize, until, isUsed: false })
    },
    delete: remove,
  }
}

type Entry<V> = { value: V; size: number; until: number; isUsed: boolean }
/** Reads the clock only for values that expire. */
const isExpired = ({ until }: Entry<unknown>) => until !== Number.POSITIVE_INFINITY && until <= clock.now().getTime()
