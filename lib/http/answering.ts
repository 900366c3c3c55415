import { AsyncLocalStorage } from 'node:async_hooks'
import { asUnit } from '../table/retry.ts'
import { Reply } from './reply.ts'
import type { KeepReply } from './throttle.ts'
import { withWarnings } from './warnings.ts'

const keeping = new AsyncLocalStorage<KeepReply>()

/** Runs a handler whose reply is to be kept for whoever sends the same request again; see `idempotency.ts`. */
export const keepingReply = <T>(keep: KeepReply, work: () => Promise<T>): Promise<T> => keeping.run(keep, work)

/**
 * Changes something and shows it: the reply is made before anything is written, and kept in the same transaction where
 * the request has an Idempotency-Key. `show` reads what `work` leaves as it is; of the rest it is given what comes of it.
 */
export const answering = <T>(
  work: () => Promise<T>,
  show: (made: T) => unknown,
  status: (made: T) => number = () => 200,
): Promise<Reply> =>
  asUnit(work, async (made) => {
    const answer = new Reply(status(made), withWarnings(await show(made)))
    return { answer, beside: keeping.getStore()?.(answer) ?? [] }
  })

/** The same for what is made: 201. */
export const creating = <T>(work: () => Promise<T>, show: (made: T) => unknown): Promise<Reply> =>
  answering(work, show, () => 201)
