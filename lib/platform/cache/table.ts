import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { nowSeconds } from '../../base/clock.ts'
import { lru } from '../../base/lru.ts'
import { putItem } from '../../engines/table/immediate.ts'
import { getMany, itemAt, type Key, type Stored } from '../../engines/table/index.ts'
import { key } from '../table/keys.ts'
import { limitTime, type Store } from './store.ts'

/** A larger answer does not fit into an item. */
const MOST_BYTES = 350_000
/** Far more than there are sorts of answers. */
const MOST_NAMES = 100

/**
 * Keeps answers in the table. One call reads the version, and the answer under the version that this process read last. That one is
 * usually the newest, so a hit is one call. Answers are compressed, since each kilobyte costs a unit to write.
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
      await limitTime(() => putItem(key.cached(at), item))
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
