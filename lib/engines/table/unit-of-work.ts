import { isConflict, isProblem } from '../../base/errors.ts'
import { pauseAfter } from '../../base/retry.ts'
import type { Write } from './item.ts'
import { keyOf, place } from './keys.ts'
import { type Pending, withPendingReads } from './pending.ts'
import { transact } from './transact.ts'

/** A result, and the writes that make it true. */
export type Plan<T> = { result: T; writes: readonly Write[] }

/** A failure of the commit after which the unit runs again, and the most runs in all. */
type Retry = { when: (error: unknown) => boolean; attempts: number }
const retries = {
  /** Another unit was faster. If `work` reads what it changes, the next run sees the writes of the other unit. */
  conflict: { when: isConflict, attempts: 5 },
  /** Another unit is making or deleting an item that this unit names. The next run finds the item made or deleted. */
  being_made: { when: (error: unknown) => isProblem(error, 'being_made'), attempts: 8 },
} as const satisfies Record<string, Retry>

/** Work that was done outside of the unit before its commit, oldest first, each with its undo. */
type Effects = { name: string; done: unknown; undo: () => Promise<unknown> }[]

/** Stores the writes of a unit: in one transaction, with the writes of other units, or as the switch of a two-phase commit. */
export type Commit = (writes: readonly Write[]) => Promise<void>

/**
 * Collects writes that are stored together, in one transaction or not at all. Only `runUnit` makes a unit and commits it.
 * Reads by key see the writes that were added. Lists and counts do not.
 */
export class UnitOfWork {
  /** 1 in the first run, and one more in each run after a failed commit. */
  readonly attempt: number
  readonly #effects: Effects
  readonly #pending: Pending
  #writes: Write[] = []
  #retries: Retry[] = []
  #commit: Commit | undefined
  #after: (() => Promise<unknown>)[] = []
  #isOver = false

  constructor(attempt: number, effects: Effects, pending: Pending) {
    this.attempt = attempt
    this.#effects = effects
    this.#pending = pending
  }

  /** Adds writes. Nothing is stored before the commit. */
  add(writes: readonly Write[]): void {
    this.#note(writes)
    this.#writes.push(...writes)
  }

  /** Adds writes in front of all others. If several conditions fail, the caller gets the error of the first write. */
  addFirst(writes: readonly Write[]): void {
    this.#note(writes)
    this.#writes.unshift(...writes)
  }

  /** Adds the writes of a plan that was made without this unit, and returns its result. */
  addPlan<T>({ result, writes }: Plan<T>): T {
    this.add(writes)
    return result
  }

  /** Allows another run of the whole unit after this failure of its commit. `attempts` counts all runs. */
  retryOn(failure: keyof typeof retries, attempts: number = retries[failure].attempts): void {
    this.#retries.push({ when: retries[failure].when, attempts })
  }

  /**
   * Does work that takes effect outside of the unit, such as a file in the bucket or a count against a rate. It is done once, however
   * many times the unit runs. `name` identifies the work within the unit. `undo` runs if the unit is not committed in the end.
   */
  async once<T>(name: string, work: () => Promise<T>, undo?: (done: T) => Promise<unknown>): Promise<T> {
    const before = this.#effects.find((it) => it.name === name)
    if (before) return before.done as T
    const done = await work()
    this.#effects.push({ name, done, undo: async () => undo?.(done) })
    return done
  }

  /**
   * As `once`, for items that must be stored before the commit, or even if the unit fails. Example: the loose item of a file that is
   * about to be put. `work` and `undo` each get another unit, which is committed immediately.
   */
  storeAhead<T>(
    name: string,
    work: (own: UnitOfWork) => T | Promise<T>,
    undo?: (own: UnitOfWork, done: T) => unknown,
  ): Promise<T> {
    return this.once(
      name,
      () => runUnit(work),
      (done) => runUnit((own) => undo?.(own, done)),
    )
  }

  /** Runs `work` after the commit, with another unit. Its failure is ignored, since the change is stored already. */
  afterCommit(work: (own: UnitOfWork) => unknown): void {
    this.#after.push(() => runUnit(work))
  }

  /** Sets how the unit is committed. `commit` runs even without writes. Example: the switch of a two-phase commit. */
  commitBy(commit: Commit): void {
    this.#commit = commit
  }

  get isEmpty(): boolean {
    return this.#writes.length === 0
  }

  /** Ends the unit and returns its writes. Only `runUnit` calls it, once. */
  close(): { writes: readonly Write[]; commit: Commit | undefined } {
    this.#isOver = true
    return { writes: this.#writes, commit: this.#commit }
  }

  mayRetry(error: unknown): boolean {
    return this.#retries.some(({ when, attempts }) => this.attempt < attempts && when(error))
  }

  /** Runs the work that waited for the commit, in order. Only `runUnit` calls it, once. */
  async finish(): Promise<void> {
    for (const work of this.#after) await work().catch(() => undefined)
  }

  #note(writes: readonly Write[]): void {
    if (this.#isOver) throw new Error('this unit of work is over: its writes would be lost')
    for (const { action } of writes) {
      if (action.Put?.Item) this.#pending.set(place(keyOf(action.Put.Item)), action.Put.Item)
      else if (action.Delete?.Key) this.#pending.set(place(keyOf(action.Delete.Key)), undefined)
    }
  }
}

/** How `runUnit` stores a unit. */
export type CommitOptions = {
  /**
   * Stores the writes. By default each unit has a transaction of its own. With the `commit` of `commitTogether` several units share a
   * transaction.
   */
  commit?: Commit | undefined
  /** Calls `commit`, and does what belongs before and after it. */
  around?: (writes: readonly Write[], commit: Commit) => Promise<void>
}

/**
 * Runs `work` with a unit of work and commits the unit once, unless it is empty. An error of `work` is final.
 * If the commit fails in a way that the unit names in `retryOn`, all of `work` runs again with a fresh unit.
 */
export async function runUnit<T>(
  work: (unit: UnitOfWork) => T | Promise<T>,
  { commit = transact, around = (writes, store) => store(writes) }: CommitOptions = {},
): Promise<T> {
  const effects: Effects = []
  try {
    for (let attempt = 1; ; attempt += 1) {
      const pending: Pending = new Map()
      const unit = new UnitOfWork(attempt, effects, pending)
      const result = await withPendingReads(pending, async () => work(unit))
      const collected = unit.close()
      try {
        if (collected.commit || collected.writes.length > 0) await around(collected.writes, collected.commit ?? commit)
      } catch (error) {
        if (!unit.mayRetry(error)) throw error
        // The second run begins at once. Later ones wait for a random time, so that the same units do not meet again.
        if (attempt > 1) await pauseAfter(attempt, backoff)
        continue
      }
      await unit.finish()
      return result
    }
  } catch (error) {
    // Sweepers find what cannot be undone now.
    for (const { undo } of effects.reverse()) await undo().catch(() => undefined)
    throw error
  }
}

/** Pauses between runs, in milliseconds. */
const backoff = { first: 20, most: 2000 }

/**
 * Makes a plan from items as they are now, and commits it in a unit of its own. For background work. After a conflict the plan is
 * made again, `attempts` times in all. Then it fails with `conflict`.
 */
export const commitPlan = <T>(plan: () => Promise<Plan<T>>, attempts?: number): Promise<T> =>
  runUnit(async (unit) => {
    unit.retryOn('conflict', attempts)
    return unit.addPlan(await plan())
  })

/**
 * Stores these writes in a unit of their own. For background work whose writes are known before the unit opens.
 * Code that reads what it changes uses `runUnit` or `commitPlan`, which may run it again. Fails as `transact` does.
 */
export const commitWrites = (writes: readonly Write[]): Promise<void> => runUnit((unit) => unit.add(writes))
