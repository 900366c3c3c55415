import { clock } from '../../base/clock.ts'
import { lru } from '../../base/lru.ts'
import { loadVersion, type Store } from './store.ts'

const MOST_ANSWERS = 1000

/** Keeps answers in this process. Their versions are in the table, so changes by other processes make them stale, too. */
export function memoryStore(): Store {
  const kept = lru<string, string>(MOST_ANSWERS)
  return {
    read: async (at) => kept.get(at),
    look: async (name, place) => {
      const version = await loadVersion(name)
      return { version, text: kept.get(place(version)) }
    },
    keep: async (at, text, seconds) => kept.set(at, text, clock.now().getTime() + seconds * 1000),
  }
}
