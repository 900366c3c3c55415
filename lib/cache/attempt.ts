import { log } from '../ops/log.ts'

/** What a cache does, or undefined where it fails: no answer fails with it. */
export async function attempt<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    log({ level: 'error', message: 'cache', error: error instanceof Error ? error.name : 'unknown' })
    return undefined
  }
}
