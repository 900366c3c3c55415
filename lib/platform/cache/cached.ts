import { createHash } from 'node:crypto'
import { clock } from '../../base/clock.ts'
import { config } from '../../base/config.ts'
import { noteCache } from '../../base/telemetry/request-cost.ts'
import { addToNumbers } from '../../engines/table/immediate.ts'
import type { Write } from '../../engines/table/index.ts'
import { key } from '../table/keys.ts'
import { memoryStore } from './memory.ts'
import { redisStore } from './redis.ts'
import { type CacheName, cacheTtls, invalidatedBy, staleAfter } from './rules.ts'
import { newStamp, type Store, undefinedIfFailed } from './store.ts'
import { tableStore } from './table.ts'

export type CachedAnswer<T> = { value: T; hit: boolean }

/**
 * Returns the result of `work`. The cache keeps it under `key` until a change makes its sort of answers stale, or its lifetime ends. Calls
 * for the same key in this process share one run. A failure is not kept. If the cache fails or is slow, each call runs `work`. Otherwise
 * the value has been through JSON.
 */
export async function cacheAnswer<T extends object>(
  name: CacheName,
  key: string,
  work: () => Promise<T>,
): Promise<CachedAnswer<T>> {
  const place = (version: number) => answerPlace(name, version, key)
  const found = await undefinedIfFailed(() => store.look(name, place))
  if (!found) {
    noteCache('cache_misses')
    return { value: await work(), hit: false }
  }
  return readOrWork(name, place(found.version), found.text, work)
}

/**
 * Makes stale all that depends on items of these types. Where the writes are known, use `invalidateAfter`: it spares what they do not
 * change.
 */
export const invalidate = (types: readonly string[]): Promise<void> =>
  raise(types.flatMap((type) => invalidatedBy[type] ?? []))

/**
 * Makes stale what depends on these writes: answers, and what processes remember of records. Call it after their commit. Calls at the
 * same moment become one call of the table. If that call fails, old answers live until their time is over.
 */
export const invalidateAfter = (writes: readonly Write[]): Promise<void> => raise(writes.flatMap(staleAfter))

async function raise(names: readonly string[]): Promise<void> {
  if (names.length === 0) return
  raising ??= raiseSoon()
  for (const name of names) raising.names.add(name)
  await raising.raised
}

// prove: memory
let raising: { names: Set<string>; raised: Promise<void> } | undefined

/** Collects the names that are added until the next microtask, then raises their versions. */
function raiseSoon(): NonNullable<typeof raising> {
  const names = new Set<string>()
  const raised = Promise.resolve().then(() => {
    raising = undefined
    return raiseVersions([...names])
  })
  return { names, raised }
}

/** Raises the versions of sorts of answers, and gives parts another stamp. */
async function raiseVersions(names: readonly string[]): Promise<void> {
  const [sorts, changed] = [names.filter(isSort), names.filter((name) => !isSort(name))]
  const numbers = Object.fromEntries(sorts.map((it) => [it, 1]))
  const stamps = Object.fromEntries(changed.map((it) => [it, newStamp()]))
  await undefinedIfFailed(() => addToNumbers(key.versions(), numbers, stamps))
}

const isSort = (name: string): boolean => Object.hasOwn(cacheTtls, name)

/** Whether the cache returns what was stored, at the first or the second attempt. If it does not, every read is a miss. */
export const isCacheHealthy = async (): Promise<boolean> => (await keepsText()) || keepsText()

async function keepsText(): Promise<boolean> {
  const at = `${config.CACHE_KEY_PREFIX}health`
  await undefinedIfFailed(() => store.keep(at, 'kept', 30))
  return (await undefinedIfFailed(() => store.read(at))) === 'kept'
}

/** Opens the store of a `CACHE_URL`: the table (`dynamodb:`), a Redis server, or this process (empty). */
function openStore(url: string): Store {
  if (url === '') return memoryStore()
  return url.startsWith('dynamodb:') ? tableStore() : redisStore(url)
}

// prove: memory
const store = openStore(config.CACHE_URL)

/** The key of a cached answer. Its last part is a hash, since words of callers have any length and form. */
const answerPlace = (name: CacheName, version: number, key: string) =>
  `${config.CACHE_KEY_PREFIX}${name}:${version}:${createHash('sha256').update(key).digest('base64url')}`

async function readOrWork<T>(
  name: CacheName,
  at: string,
  text: string | undefined,
  work: () => Promise<T>,
): Promise<CachedAnswer<T>> {
  const kept = text === undefined ? undefined : parseFresh<T>(text)
  noteCache(kept ? 'cache_hits' : 'cache_misses')
  if (kept) return { ...kept, hit: true }
  return { value: JSON.parse(await (underWay.get(at) ?? beginWork(at, name, work))), hit: false }
}

/** Work under way in this process, by the key of its answer. */
// prove: memory
const underWay = new Map<string, Promise<string>>()

function beginWork<T>(at: string, name: CacheName, work: () => Promise<T>): Promise<string> {
  const running = runWork(at, name, work).finally(() => underWay.delete(at))
  underWay.set(at, running)
  return running
}

async function runWork<T>(at: string, name: CacheName, work: () => Promise<T>): Promise<string> {
  const { seconds } = cacheTtls[name]
  const value = JSON.stringify(await work())
  const until = clock.now().getTime() + seconds * 1000
  await undefinedIfFailed(() => store.keep(at, `${until} ${value}`, seconds))
  return value
}

/** Parses a kept answer. Undefined if its time is over: a store may drop it later. */
function parseFresh<T>(text: string): { value: T } | undefined {
  const end = text.indexOf(' ')
  return Number(text.slice(0, end)) > clock.now().getTime() ? { value: JSON.parse(text.slice(end + 1)) } : undefined
}
