import { clock } from '../../base/clock.ts'
import { lru } from '../../base/lru.ts'
import { noteCache } from '../../base/telemetry/request-cost.ts'
import { itemAt, onceRead, type Stored } from '../../engines/table/index.ts'
import { parts, REMEMBERED_SECONDS } from './rules.ts'
import { changedAt, loadVersions, stampIn, undefinedIfFailed, versionsAt } from './store.ts'

/** Estimated bytes of all remembered values of a process. */
const MOST_BYTES = 16_000_000
/** Indexes and reads that are not consistent may lag behind a change. What is read within this time after a change is not kept. */
const LAG_MS = 3000

/** `value` is undefined if it was read less than `LAG_MS` after a change. Then the entry only notes that the key was read. */
type Kept = { of: readonly string[]; stamps: readonly number[]; value: object | undefined; size: number }
const kept = lru<string, Kept>(MOST_BYTES, ({ size }) => size)

/** What was read, and the parts from which it was made. `found` holds the item at `versionsAt` where `work` had to read it. */
type Read<T> = { value: T; of: readonly string[]; found: ReadonlyMap<string, Stored> }
/**
 * Reads a value from the table. If `versions` is given, it is current, and the work may skip what this process still holds. If it is
 * undefined, one call of the work also reads the item at `versionsAt`.
 */
type Work<T> = (versions: Stored | undefined) => Promise<Read<T>>

/**
 * Reads a value that is made from some parts of what is stored. This process remembers it under the key, until one of these parts changes
 * or its time is over. A remembered value costs one strongly consistent read of the versions, so a change takes effect at once. That read
 * costs no call if the request has read them with the caller (`usesReadCache`). All callers share the value, so none may change it. If
 * versions cannot be read, it is a miss.
 */
export async function rememberRead<T extends object>(key: string, work: Work<T>): Promise<T> {
  const before = kept.get(key)
  // For an entry without a value no call is made. `onceRead` has the versions only if the request has read them already.
  const versions = before?.value ? await undefinedIfFailed(loadVersions) : before && onceRead(versionsAt())
  const isHit = before?.value !== undefined && versions !== undefined && isUnchanged(before, versions)
  noteCache(isHit ? 'cache_hits' : 'cache_misses')
  // A key names values of one type only.
  if (isHit) return before?.value as T
  const began = clock.now().getTime()
  const read = await work(versions)
  keep(key, read, versions ?? itemAt(read.found, versionsAt()) ?? {}, began)
  return read.value
}

const isUnchanged = ({ of, stamps }: Kept, versions: Stored): boolean =>
  of.every((part, i) => stampIn(versions, part) === stamps[i])

function keep<T extends object>(key: string, { value, of: own }: Read<T>, versions: Stored, began: number): void {
  const of = [...new Set([parts.all, ...own])]
  const stamps = of.map((part) => stampIn(versions, part))
  const until = began + REMEMBERED_SECONDS * 1000
  if (stamps.every((stamp) => isSettled(stamp, began))) kept.set(key, { of, stamps, value, size: sizeOf(value) }, until)
  else if (!kept.get(key)) kept.set(key, { of, stamps, value: undefined, size: sizeOf(key) + sizeOf(of) }, until)
}

/** Whether a part changed so long before a read that every index showed the change. */
export const isSettled = (stamp: number, began: number): boolean => began - changedAt(stamp) > LAG_MS

/** Estimates the bytes of a value in memory. */
export function sizeOf(value: unknown): number {
  if (typeof value === 'string') return 24 + value.length
  if (typeof value !== 'object' || value === null) return 8
  let size = 48
  for (const each of value instanceof Map ? value.values() : Object.values(value)) size += 24 + sizeOf(each)
  return size
}
