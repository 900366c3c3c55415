import { type Store, versionOf } from './store.ts'

/** So many answers are kept; the one kept longest makes room. */
const MOST = 1000

/** Keeps answers in this process. Their versions are in the table, so changes that other processes make count. */
export function memoryStore(): Store {
  const kept = new Map<string, string>()
  return {
    read: async (at) => kept.get(at),
    look: async (name, place) => {
      const version = await versionOf(name)
      return { version, text: kept.get(place(version)) }
    },
    keep: async (at, text) => {
      const oldest = kept.size >= MOST ? kept.keys().next().value : undefined
      if (oldest !== undefined) kept.delete(oldest)
      kept.delete(at)
      kept.set(at, text)
    },
  }
}
