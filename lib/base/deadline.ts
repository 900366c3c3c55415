import { AsyncLocalStorage } from 'node:async_hooks'

const endings = new AsyncLocalStorage<{ abortSignal: AbortSignal }>()

/**
 * Runs work whose calls end with the signal: those of the table, and the look whether the bucket answers. After the
 * signal none is under way, and none begins.
 */
export const endingWith = <T>(abortSignal: AbortSignal, work: () => Promise<T>): Promise<T> =>
  endings.run({ abortSignal }, work)

/**
 * The signal that ends the calls of the present work, as clients of AWS take it. Undefined where calls end by
 * themselves.
 */
export const endingNow = (): { abortSignal: AbortSignal } | undefined => endings.getStore()
