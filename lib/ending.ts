import { AsyncLocalStorage } from 'node:async_hooks'

const endings = new AsyncLocalStorage<{ abortSignal: AbortSignal }>()

/** What `work` asks of the table, and whether the bucket answers, ends with the signal: no call of it is under way after that, and none begins. */
export const endingWith = <T>(abortSignal: AbortSignal, work: () => Promise<T>): Promise<T> =>
  endings.run({ abortSignal }, work)

/** What ends the calls of the present work, as clients of AWS take it; undefined where only their answer does. */
export const endingNow = (): { abortSignal: AbortSignal } | undefined => endings.getStore()
