/**
 * Answers as `read` does, which must answer the same whenever it is asked, and keeps what it answered lately: so much at most,
 * each answer by its size. What is not there is not kept.
 */
export function memoize<K, V>(read: (key: K) => V, most: number, sizeOf: (value: NonNullable<V>) => number = one) {
  // Two generations: what was asked for while the younger one filled up stays, the rest goes with the older one.
  let [young, old, held] = [new Map<K, V>(), new Map<K, V>(), 0]
  return (key: K): V => {
    const found = young.get(key)
    if (found !== undefined) return found
    const value = old.get(key) ?? read(key)
    if (value === undefined || value === null) return value
    const size = sizeOf(value)
    if (held + size > most / 2) [old, young, held] = [young, new Map(), 0]
    young.set(key, value)
    held += size
    return value
  }
}

const one = () => 1
