import { clock } from '../../base/clock.ts'
import { lru } from '../../base/lru.ts'
import { noteCache } from '../../base/telemetry/request-cost.ts'
import type { Key } from '../../engines/table/index.ts'
import { itemAt, type Stored } from '../../engines/table/index.ts'
import { type RememberedName, rememberedFor } from './rules.ts'
import { loadStanding, standingIn, undefinedIfFailed, versionsAt } from './store.ts'

/** Bytes, roughly, of all that a process remembers. */
const MOST_BYTES = 24_000_000
/** Lists by index and reads that are not consistent may lag behind a change for a moment: what was read so soon after one is not kept. */
const LAG_MS = 3000

type Kept = { version: number; value: object; size: number }
const kept = lru<string, Kept>(MOST_BYTES, ({ size }) => size)

/** Reads something, in one of its calls also what lies at `beside`; `found` has that. */
type Work<T> = (beside: Key) => Promise<{ value: T; found: ReadonlyMap<string, Stored> }>

/**
 * Answers what `work` reads of the table. This process remembers it under the key, until the version of its sort is raised or its time is over.
 * Each call asks the table for that version, strongly consistent, so a change is seen at once. It costs one call, or none on a route with `remembers`.
 * The value is shared by all callers: nobody may change it. A version that cannot be read is a miss.
 */
export async function rememberRead<T extends object>(name: RememberedName, key: string, work: Work<T>): Promise<T> {
  const at = `${name} ${key}`
  const before = kept.get(at)
  const standing = before && (await undefinedIfFailed(() => loadStanding(name)))
  const isHit = standing !== undefined && before?.version === standing.version
  noteCache(isHit ? 'cache_hits' : 'cache_misses')
  // The key says what lies there.
  if (isHit) return before?.value as T
  kept.delete(at)
  const began = clock.now().getTime()
  const { value, found } = await work(versionsAt())
  const { version, changed } = standingIn(name, itemAt(found, versionsAt()))
  if (began - changed > LAG_MS)
    kept.set(at, { version, value, size: sizeOf(value) }, began + rememberedFor[name].seconds * 1000)
  return value
}

/** Roughly how many bytes a value takes. */
function sizeOf(value: unknown): number {
  if (typeof value === 'string') return 24 + value.length
  if (typeof value !== 'object' || value === null) return 8
  let size = 48
  for (const each of value instanceof Map ? value.values() : Object.values(value)) size += 24 + sizeOf(each)
  return size
}
