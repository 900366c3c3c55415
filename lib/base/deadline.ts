import { AsyncLocalStorage } from 'node:async_hooks'

const signals = new AsyncLocalStorage<{ abortSignal: AbortSignal }>()

/**
 * Runs work whose calls of the table are aborted by the signal, and so is the check of the bucket. After the signal no such call is
 * under way, and none begins.
 */
export const runWithSignal = <T>(abortSignal: AbortSignal, work: () => Promise<T>): Promise<T> =>
  signals.run({ abortSignal }, work)

/**
 * The signal that aborts the calls of the present work, as an option for clients of AWS. Undefined outside of `runWithSignal`.
 */
export const currentSignal = (): { abortSignal: AbortSignal } | undefined => signals.getStore()
