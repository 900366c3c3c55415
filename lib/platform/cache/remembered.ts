import { clock } from '../../base/clock.ts'
import { lru } from '../../base/lru.ts'
import { noteCache } from '../../base/telemetry/request-cost.ts'
import type { Key } from '../../engines/table/index.ts'
import { itemAt, type Stored } from '../../engines/table/index.ts'
import { type RememberedName, rememberedFor } from './rules.ts'
import { loadStanding, standingIn, undefinedIfFailed, versionsAt } from './store.ts'

/** Estimated bytes of all remembered values of a process. */
const MOST_BYTES = 24_000_000
/** Indexes and reads that are not consistent may lag behind a change. A value read within this time after a change is not kept. */
const LAG_MS = 3000

type Kept = { version: number; value: object; size: number }
const kept = lru<string, Kept>(MOST_BYTES, ({ size }) => size)

/** Reads a value from the table. One of its calls also reads the item at `versions`, and `found` contains it. */
type Work<T> = (versions: Key) => Promise<{ value: T; found: ReadonlyMap<string, Stored> }>

/**
 * Returns the value that `work` reads from the table. This process remembers it under the key, until the version of its sort is raised or
 * its time is over. Each call reads that version, strongly consistent, so a change counts at once. That costs one call, or none on a
 * route with `usesReadCache`. All callers share the value, so none may change it. If the version cannot be read, it is a miss.
 */
export async function rememberRead<T extends object>(name: RememberedName, key: string, work: Work<T>): Promise<T> {
  const at = `${name} ${key}`
  const before = kept.get(at)
  const standing = before && (await undefinedIfFailed(() => loadStanding(name)))
  const isHit = standing !== undefined && before?.version === standing.version
  noteCache(isHit ? 'cache_hits' : 'cache_misses')
  // A key names values of one type only.
  if (isHit) return before?.value as T
  kept.delete(at)
  const began = clock.now().getTime()
  const { value, found } = await work(versionsAt())
  const { version, changed } = standingIn(name, itemAt(found, versionsAt()))
  if (began - changed > LAG_MS)
    kept.set(at, { version, value, size: sizeOf(value) }, began + rememberedFor[name].seconds * 1000)
  return value
}

/** Estimates the bytes of a value in memory. */
function sizeOf(value: unknown): number {
  if (typeof value === 'string') return 24 + value.length
  if (typeof value !== 'object' || value === null) return 8
  let size = 48
  for (const each of value instanceof Map ? value.values() : Object.values(value)) size += 24 + sizeOf(each)
  return size
}
