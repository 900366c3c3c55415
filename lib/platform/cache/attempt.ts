import { log } from '../../base/telemetry/log.ts'

/** What a cache does, or undefined where it fails: no answer fails with it. */
export const attempt = <T>(work: () => Promise<T>): Promise<T | undefined> =>
  work().catch((error: unknown) => {
    log({ level: 'error', message: 'cache', error: error instanceof Error ? error.name : 'unknown' })
    return undefined
  })
