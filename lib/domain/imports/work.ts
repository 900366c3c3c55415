import { setTimeout as sleep } from 'node:timers/promises'
import { checkAllowed, isConflict } from '../../base/errors.ts'
import { isHeld, parse, walk } from '../../engines/table/index.ts'
import { type Actor, mayReview, permissions } from '../../platform/permissions.ts'
import { loadOrderer } from '../../platform/users/actor.ts'
import { closeBatches } from './clean-up.ts'
import { type Import, importItem, importLists, type Task } from './items.ts'
import { failTask, type LeasedImport, takeLease } from './leased-import.ts'
import { runTask } from './tasks.ts'

/**
 * A worker takes an import by a lease of two minutes and renews it while it works. If the worker dies, the next one continues:
 *
 * - `read`, `check`: from the beginning. They only overwrite what they have stored.
 * - `run`: at the next chunk. Each row that has made something has a mark, so it does not run twice.
 * - `decide`: after the last row that was decided on.
 * - `withdraw`, `take_back`: from the beginning. Rows that are taken back already have nothing to undo.
 */

/** Milliseconds between looks for new tasks: short after a task has ended, then growing. */
const FIRST_LOOK_MS = 20
const LATER_LOOKS_MS = 250

/** `ended`: tasks that ended during the visit. `running`: imports that still have a task. */
type Visit = { ended: number; running: number }

/**
 * Works on imports until `until`, in milliseconds of `performance.now()`. Small ones run in parallel. A sender often orders the
 * next task at once, so after the end of a task the worker stays for another `linger` milliseconds.
 */
export async function continueImports(until: number, linger = 0): Promise<Visit> {
  const hands = new ImportsInHand(until)
  const running = await workUntilIdle(hands, until, linger).finally(() => hands.waitForAll())
  hands.throwFailure()
  await closeBatches()
  return { ended: hands.ended, running }
}

/** Takes tasks until no import is in hand and no further task is expected. Returns how many imports had a task at the last look. */
async function workUntilIdle(hands: ImportsInHand, until: number, linger: number): Promise<number> {
  let waiting = await hands.takeFree()
  for (let pause = FIRST_LOOK_MS; hands.isBusy || performance.now() < Math.min(hands.endedAt + linger, until); ) {
    const hasEnded = await Promise.race([hands.waitForOne(), ...(linger > 0 ? [sleep(pause, false)] : [])])
    pause = hasEnded ? FIRST_LOOK_MS : Math.min(pause * 1.5, LATER_LOOKS_MS)
    waiting = await hands.takeFree()
  }
  return waiting
}

/** Imports on which one worker works in parallel. */
const IMPORTS_AT_ONCE = 6
/** Bytes of all their files together. A larger file runs alone, so that it has the memory to itself. */
const BYTES_AT_ONCE = 2 * 1024 * 1024
/** The most imports with a task that are read at one look. */
const LOOK_LIMIT = 50

/** The imports on which one visit of the worker works. An import whose task did not end is not taken again in the visit. */
class ImportsInHand {
  ended = 0
  /** When a task last ended, as `performance.now()`. */
  endedAt = Number.NEGATIVE_INFINITY
  readonly #until: number
  /** By id: the size of the file, and whether the import may have ended a worker. `end` tells whether its task ended, once the work is over. */
  readonly #inHand = new Map<string, { size: number; isSuspect: boolean; end: Promise<boolean> }>()
  readonly #left = new Set<string>()
  readonly #failures: unknown[] = []

  constructor(until: number) {
    this.#until = until
  }

  get isBusy(): boolean {
    return this.#inHand.size > 0
  }

  /** Takes free imports while there is room and time. Returns how many imports have a task, also with other workers, 50 at most. */
  async takeFree(): Promise<number> {
    const items = await walk({ index: 'gsi2', pk: importLists.atWork, forward: true, limit: LOOK_LIMIT })
    for (const found of items.map((item) => parse(importItem, item))) {
      const lease = performance.now() < this.#until && this.#isFree(found) ? await takeLease(found.id) : undefined
      if (lease) this.#start(lease)
    }
    return items.length
  }

  /** Waits until the work on one import is over. Returns whether its task ended. */
  waitForOne(): Promise<boolean> {
    return Promise.race(this.#ends())
  }

  async waitForAll(): Promise<void> {
    await Promise.all(this.#ends())
  }

  /** Throws the first error of the visit, if there was one. */
  throwFailure(): void {
    if (this.#failures.length > 0) throw this.#failures[0]
  }

  #ends(): Promise<boolean>[] {
    return [...this.#inHand.values()].map(({ end }) => end)
  }

  #isFree({ id, size, work }: Import): boolean {
    const inHand = [...this.#inHand.values()]
    const bytes = inHand.reduce((sum, held) => sum + held.size, size)
    // An import that may have ended its worker runs alone, so that no other ends with it.
    const isAlone = (work?.takes ?? 0) > 0 || inHand.some(({ isSuspect }) => isSuspect)
    const hasRoom = !this.isBusy || (!isAlone && inHand.length < IMPORTS_AT_ONCE && bytes <= BYTES_AT_ONCE)
    return hasRoom && !this.#inHand.has(id) && !this.#left.has(id) && work !== null && !isHeld(work)
  }

  #start(lease: LeasedImport): void {
    const { id, size, work } = lease.item
    this.#inHand.set(id, { size, isSuspect: (work?.takes ?? 0) > 1, end: this.#finish(lease, id) })
  }

  async #finish(lease: LeasedImport, id: string): Promise<boolean> {
    const hasEnded = await continueTask(lease, this.#until).catch((error: unknown) => {
      this.#failures.push(error)
      return false
    })
    this.#inHand.delete(id)
    if (hasEnded) {
      this.ended += 1
      this.endedAt = performance.now()
    } else this.#left.add(id)
    return hasEnded
  }
}

/** Whether somebody may still do what they have ordered. The other tasks are for the owner of the import, who stays the owner. */
const mayEnd: Partial<Record<Task, (by: Actor) => boolean>> = {
  decide: mayReview,
  take_back: permissions['import.take_back'].changes,
}

/** Works on the task of one import. Returns whether the task ended. It ends at once if the person who ordered it has lost the right to it. */
async function continueTask(lease: LeasedImport, until: number): Promise<boolean> {
  const { work } = lease.item
  if (!work) return true
  return lease.keepDuring(async () => {
    try {
      const by = await loadOrderer(work.by)
      checkAllowed(mayEnd[work.task]?.(by) ?? true)
      return await runTask(lease, { ...work, by }, until)
    } catch (error) {
      return failTask(lease, error).catch((further: unknown) => {
        // Another worker has the import by now, or the reply to a write was lost. The next visit reads what is stored.
        if (isConflict(further)) return false
        throw further
      })
    }
  })
}
