import { clock } from './clock.ts'

/** What is kept, by name, and the item types whose changes make it stale. */
const staleBy = {
  'queue-counts': ['record', 'decision', 'flag'],
} as const satisfies Record<string, readonly string[]>
type Name = keyof typeof staleBy

type Keep<T> = (key: string, work: () => Promise<T>) => Promise<T>
const clear = new Map<string, () => void>()
const MOST = 1000

/**
 * A memory of this process for one sort of answer: what `work` gives is kept under its key for so many seconds. Whoever
 * asks meanwhile shares it; a failure is not kept.
 */
export function memory<T>(name: Name, seconds: number): Keep<T> {
  const kept = new Map<string, { until: number; value: Promise<T> }>()
  clear.set(name, () => kept.clear())
  return (key, work) => {
    const at = clock.now().getTime()
    const found = kept.get(key)
    if (found && found.until > at) return found.value
    const oldest = kept.size >= MOST ? kept.keys().next().value : undefined
    if (oldest !== undefined) kept.delete(oldest)
    const entry = { until: at + seconds * 1000, value: work() }
    kept.delete(key)
    kept.set(key, entry)
    entry.value.catch(() => {
      if (kept.get(key) === entry) kept.delete(key)
    })
    return entry.value
  }
}

/** Drops what depends on items of these types; for after their commit. */
export function forget(types: readonly string[]): void {
  for (const [name, by] of Object.entries(staleBy)) if (by.some((type) => types.includes(type))) clear.get(name)?.()
}
