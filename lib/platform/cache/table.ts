import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { nowSeconds } from '../../base/clock.ts'
import { lru } from '../../base/lru.ts'
import { getMany, itemAt, type Key, type Stored, write } from '../../engines/table/index.ts'
import { key } from '../table/keys.ts'
import { limitTime, type Store } from './store.ts'

/** Above this an answer does not fit into an item. */
const MOST_BYTES = 350_000
/** There are far fewer sorts of answers. */
const MOST_NAMES = 100

/**
 * Keeps answers in the table. The version is read in one call with the answer of the version that this process has seen
 * last: as a rule that is the newest, so a hit is one call. Answers are packed: each kilobyte costs a unit to write.
 */
export function tableStore(): Store {
  const seen = lru<string, number>(MOST_NAMES)
  return {
    read: (at) => readAt(at),
    look: async (name, place) => {
      const guess = seen.get(name) ?? 0
      const guessed = key.cached(place(guess))
      const found = await limitTime(() => getMany([key.versions(), guessed], true))
      const version = Number(itemAt(found, key.versions())?.[name] ?? 0)
      seen.set(name, version)
      return { version, text: version === guess ? textIn(found, guessed) : await readAt(place(version)) }
    },
    keep: async (at, text, seconds) => {
      const packed = deflateRawSync(text)
      if (packed.byteLength > MOST_BYTES) return
      const item = { type: 'cached', packed, expires_at: nowSeconds() + seconds }
      await limitTime(() => write(key.cached(at), item))
    },
  }
}

async function readAt(place: string): Promise<string | undefined> {
  const at = key.cached(place)
  return textIn(await limitTime(() => getMany([at], true)), at)
}

function textIn(found: ReadonlyMap<string, Stored>, at: Key): string | undefined {
  const packed = itemAt(found, at)?.packed
  return packed instanceof Uint8Array ? inflateRawSync(packed).toString() : undefined
}
