import { clock } from '../../base/clock.ts'
import { lru } from '../../base/lru.ts'
import { loadVersion, type Store } from './store.ts'

/** The most bytes of all answers. A text takes two bytes a character at most; its key and its entry take some 300. */
const MOST_BYTES = 16 * 1024 * 1024
const sizeOf = (text: string) => 2 * text.length + 300

/** Keeps answers in this process. Their versions are in the table, so changes by other processes make them stale, too. */
export function memoryStore(): Store {
  const kept = lru<string, string>(MOST_BYTES, sizeOf)
  return {
    read: async (at) => kept.get(at),
    look: async (name, place) => {
      const version = await loadVersion(name)
      return { version, text: kept.get(place(version)) }
    },
    keep: async (at, text, seconds) => kept.set(at, text, clock.now().getTime() + seconds * 1000),
  }
}
