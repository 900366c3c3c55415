import { lru } from '../../../base/lru.ts'

/**
 * Remembers recent results of `read`, up to a total size of `most`. `read` must always give the same result for a key.
 * Undefined and null are not kept.
 */
export function memoize<K, V>(read: (key: K) => V, most: number, sizeOf?: (value: NonNullable<V>) => number) {
  const kept = lru<K, NonNullable<V>>(most, sizeOf)
  return (key: K): V => {
    const found = kept.get(key)
    if (found !== undefined) return found
    const value = read(key)
    if (value !== undefined && value !== null) kept.set(key, value)
    return value
  }
}
