import { lru } from '../../../base/lru.ts'

/**
 * Caches recent results of `read`, up to a total size of `most`. `read` must always return the same for a key. Undefined
 * and null are not cached.
 */
export function memoize<K, V>(read: (key: K) => V, most: number, sizeOf?: (value: NonNullable<V>) => number) {
  const cache = lru<K, NonNullable<V>>(most, sizeOf)
  return (key: K): V => {
    const cached = cache.get(key)
    if (cached !== undefined) return cached
    const value = read(key)
    if (value !== undefined && value !== null) cache.set(key, value)
    return value
  }
}
