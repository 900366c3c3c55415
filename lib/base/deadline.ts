import { AsyncLocalStorage } from 'node:async_hooks'

const signals = new AsyncLocalStorage<{ abortSignal: AbortSignal }>()

/**
 * Runs work whose calls end with the signal: those of the table, and the look whether the bucket answers. After the
 * signal none is under way, and none begins.
 */
export const runWithSignal = <T>(abortSignal: AbortSignal, work: () => Promise<T>): Promise<T> =>
  signals.run({ abortSignal }, work)

/**
 * The signal that ends the calls of the present work, as clients of AWS take it. Undefined where calls end by
 * themselves.
 */
export const currentSignal = (): { abortSignal: AbortSignal } | undefined => signals.getStore()
