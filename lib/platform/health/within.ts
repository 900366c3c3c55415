import { runWithSignal } from '../../base/deadline.ts'
import { log } from '../../base/telemetry/log.ts'

/**
 * Runs `work`. Undefined if it fails or takes longer than `milliseconds`. Its calls are aborted at the end of that time, since Lambda freezes
 * a function that has answered. The reason of a failure goes into the log.
 */
export async function runWithin<T>(milliseconds: number, work: () => Promise<T>): Promise<T | undefined> {
  const time = new AbortController()
  const timer = setTimeout(() => time.abort(), milliseconds)
  const timeout = new Promise<undefined>((resolve) => time.signal.addEventListener('abort', () => resolve(undefined)))
  const result = runWithSignal(time.signal, work)
  const failed = (error: unknown): undefined => {
    log({ level: 'error', message: 'check', error: error instanceof Error ? error.name : 'unknown' })
  }
  return Promise.race([result.catch(failed), timeout]).finally(() => clearTimeout(timer))
}
