import { outdate } from '../cache/cached.ts'
import { clock } from '../clock.ts'
import { invalidObject, isConflict, Problem } from '../errors.ts'
import type { Write } from '../table/item.ts'
import { MOST_ACTIONS, transact } from '../table/write.ts'
import type { Values } from './contribution.ts'

/** Writes a contribution, or tells that it holds more than one transaction takes. Nothing to write is nothing to do. */
export async function commit(writes: readonly Write[]): Promise<void> {
  if (writes.length === 0) return
  const lists = new Set(writes.flatMap((write) => Object.keys(write.counts)))
  if (writes.length + lists.size > MOST_ACTIONS)
    throw invalidObject('Too many values, names and new records at once. Send them in parts.')
  await transact(writes)
  await outdate(writes.flatMap((write) => write.type ?? []))
}

export const BEING_MADE = 'A record that this one names is being made right now. Try again.'

/** Runs what may name new records once more when another contribution names one of them at the same moment: then it is found. */
export async function onceMore<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Problem && error.detail === BEING_MADE) return work()
    throw error
  }
}

/** What is to be written, and what it comes to. */
export type Plan<T> = { result: T; writes: readonly Write[] }

/** Others who change the same things at the same time do no harm: the plan is made anew. What it throws is final. */
export async function together<T>(plan: () => Promise<Plan<T>>, attempts = 5): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    const { result, writes } = await plan()
    try {
      await commit(writes)
      return result
    } catch (error) {
      if (attempt === attempts || !isConflict(error)) throw error
    }
    // Many who try again at once would be in each other's way once more.
    if (attempt > 2) await new Promise((done) => setTimeout(done, clock.random(20 * attempt)))
  }
}

/** An item of the table holds 400 KB, and a record holds its values twice while an edit waits. */
const MOST_BYTES = 150_000

/** Fails when the values are too large for a record. */
export function checkSize(values: Values): void {
  if (Buffer.byteLength(JSON.stringify(values)) > MOST_BYTES)
    throw invalidObject(`The values together are larger than ${MOST_BYTES} bytes.`)
}
