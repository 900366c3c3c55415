import { AsyncLocalStorage } from 'node:async_hooks'
import { clock } from '../clock.ts'
import { isConflict } from '../errors.ts'
import type { Write } from './item.ts'
import { reading } from './pending.ts'
import { transact } from './write.ts'

/** What is to be written, and what it comes to. */
export type Plan<T> = { result: T; writes: readonly Write[] }

/**
 * Optimistic concurrency: what is planned on things as they were read is written on condition that they are still so, and
 * planned anew where they are not. `plan` gets the number of the attempt, 1 the first; what it throws is final. No writes
 * are nothing to do. Fails with the conflict of the last attempt.
 */
export async function retryOnConflict<T>(
  plan: (attempt: number) => Promise<Plan<T>>,
  { attempts = 5, write = transact, when = isConflict }: Options = {},
): Promise<T> {
  const unit = units.getStore()
  if (unit) {
    const { result, writes } = await plan(unit.attempt)
    if (writes.length > 0) defer(unit, { writes, attempts, write, when })
    return result
  }
  for (let attempt = 1; ; attempt += 1) {
    const { result, writes } = await plan(attempt)
    try {
      if (writes.length > 0) await write(writes)
      return result
    } catch (error) {
      if (attempt === attempts || !when(error)) throw error
    }
    await pause(attempt)
  }
}

/** Many who try again at once would be in each other's way once more. */
const pause = async (attempt: number) => {
  if (attempt > 1) await new Promise((done) => setTimeout(done, clock.random(20 * 2 ** attempt)))
}

/**
 * A unit of work: what `work` would write waits until `finish` has made an answer of what it came to, with what is written
 * beside it, which reads what will be written; then all of it is one transaction. So a read that fails has changed nothing, and after the commit nothing is
 * left that could fail. Both are done anew where the plan of `work` would be. `work` has one plan at most.
 */
export async function asUnit<T, R>(
  work: () => Promise<T>,
  finish: (made: T) => Promise<{ answer: R; beside: readonly Write[] }>,
): Promise<R> {
  for (let attempt = 1; ; attempt += 1) {
    const unit: Unit = { attempt }
    const made = await units.run(unit, work)
    const { pending } = unit
    const { answer, beside } = await reading(pending?.writes ?? [], () => finish(made))
    if (!pending) return answer
    try {
      await pending.write([...beside, ...pending.writes])
      return answer
    } catch (error) {
      if (attempt === pending.attempts || !pending.when(error)) throw error
    }
    await pause(attempt)
  }
}

/** What a unit of work has to write, and how. */
type Pending = Required<Options> & { writes: readonly Write[] }
type Unit = { attempt: number; pending?: Pending }
const units = new AsyncLocalStorage<Unit>()

function defer(unit: Unit, pending: Pending): void {
  if (unit.pending) throw new Error('a unit of work has two plans')
  unit.pending = pending
}

/** Notes writes that are planned once for the unit of work in which this happens, which stores them. Answers whether there is one. */
export function noteInUnit(writes: readonly Write[], write: Pending['write']): boolean {
  const unit = units.getStore()
  if (unit) defer(unit, { writes, write, attempts: 1, when: () => false })
  return unit !== undefined
}

type Options = {
  attempts?: number
  /** How the writes are stored: in one transaction, unless something goes with it. */
  write?: (writes: readonly Write[]) => Promise<void>
  /** After which failures there is another attempt. */
  when?: (error: unknown) => boolean
}
