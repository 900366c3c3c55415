import type { Redis } from 'iovalkey'
import { log } from '../../base/telemetry/log.ts'
import { loadVersion, SLOW_MS, type Store } from './store.ts'

/** Milliseconds for which the server is not called after a failure. */
const REST_MS = 2000

/** Keeps answers in a Redis server. Its client is loaded and connected at the first use. A failure is a miss. */
export function redisStore(url: string): Store {
  let connection: Promise<Redis> | undefined
  let restUntil = 0
  const runOnClient = async <T>(work: (client: Redis) => Promise<T>): Promise<T | undefined> => {
    // The real time, not the clock that tests replace: connections depend on it.
    if (performance.now() < restUntil) return undefined
    try {
      connection ??= connect(url)
      return await work(await connection)
    } catch (error) {
      log({ level: 'error', message: 'cache', error: error instanceof Error ? error.name : 'unknown' })
      restUntil = performance.now() + REST_MS
      const broken = connection
      connection = undefined
      broken?.then((client) => client.disconnect()).catch(() => undefined)
      return undefined
    }
  }
  const read = async (at: string) => (await runOnClient((client) => client.get(at))) ?? undefined
  return {
    read,
    look: async (name, place) => {
      const version = await loadVersion(name)
      return { version, text: await read(place(version)) }
    },
    keep: async (at, text, seconds) => {
      await runOnClient((client) => client.set(at, text, 'EX', seconds))
    },
  }
}

async function connect(url: string): Promise<Redis> {
  const { Redis } = await import('iovalkey')
  const client = new Redis(url, {
    lazyConnect: true,
    connectTimeout: SLOW_MS,
    commandTimeout: SLOW_MS,
    maxRetriesPerRequest: 0,
    enableOfflineQueue: false,
    // No retry between requests: the next request connects again.
    retryStrategy: () => null,
  })
  // Each call reports its own failure. Without a listener an error would end the process.
  client.on('error', () => undefined)
  await client.connect()
  return client
}
