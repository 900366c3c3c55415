import { AsyncLocalStorage } from 'node:async_hooks'

const signals = new AsyncLocalStorage<{ abortSignal: AbortSignal }>()

/**
 * Runs `work`. The signal aborts its calls of the table, and its requests for the state of the bucket or the size of an object. After the
 * abort no such call is under way, and none begins.
 */
export const runWithSignal = <T>(abortSignal: AbortSignal, work: () => Promise<T>): Promise<T> =>
  signals.run({ abortSignal }, work)

/** The signal that aborts the calls of the current work, as an option for clients of AWS. Undefined outside of `runWithSignal`. */
export const currentSignal = (): { abortSignal: AbortSignal } | undefined => signals.getStore()
