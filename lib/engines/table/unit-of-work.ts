import { clock } from '../../base/clock.ts'
import { isConflict, isProblem } from '../../base/errors.ts'
import type { Write } from './item.ts'
import { keyOf, place } from './keys.ts'
import { type Pending, withPendingReads } from './pending.ts'
import { transact } from './write.ts'

/** A result, and the writes that make it true. */
export type Plan<T> = { result: T; writes: readonly Write[] }

/** How many times a unit runs in all when its commit fails so. */
type Retry = { when: (error: unknown) => boolean; attempts: number }
const retries = {
  /** The unit reads what it changes itself: a second run reads it as others left it. */
  conflict: { when: isConflict, attempts: 5 },
  /** Another unit makes a record of the same name at this moment. A second run finds it. */
  being_made: { when: (error: unknown) => isProblem(error, 'being_made'), attempts: 8 },
} as const satisfies Record<string, Retry>

/** What took effect before the commit, in its order, and how it is undone. */
type Effects = { name: string; done: unknown; undo: () => Promise<unknown> }[]

/** Stores the writes of a unit: in one transaction, or as the switch of a two-phase commit. */
type Commit = (writes: readonly Write[]) => Promise<void>

/**
 * What is stored together: all of it in one transaction, or nothing. Only `runUnit` makes one, and commits it.
 * Reads by key see what was added already; lists and counts do not.
 */
export class UnitOfWork {
  /** 1 in the first run; one more after each commit that failed and may be tried again. */
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

  /** Adds what is to be stored. Nothing is stored before the commit. */
  add(writes: readonly Write[]): void {
    this.#note(writes)
    this.#writes.push(...writes)
  }

  /** Adds in front of all others. If several conditions fail, the caller gets the error of the first write. */
  addFirst(writes: readonly Write[]): void {
    this.#note(writes)
    this.#writes.unshift(...writes)
  }

  /** Adds the writes of a plan and returns its result. */
  addPlan<T>({ result, writes }: Plan<T>): T {
    this.add(writes)
    return result
  }

  /** Runs the whole unit again when its commit fails so, with a pause between. `attempts`: how many runs in all. */
  retryOn(failure: keyof typeof retries, attempts: number = retries[failure].attempts): void {
    this.#retries.push({ when: retries[failure].when, attempts })
  }

  /**
   * Does what takes effect outside of the unit, once however often the unit runs: a file in the bucket, a count against a rate.
   * `name` is its own within the unit. `undo` is called when the unit is not committed in the end.
   */
  async once<T>(name: string, work: () => Promise<T>, undo?: (done: T) => Promise<unknown>): Promise<T> {
    const before = this.#effects.find((it) => it.name === name)
    if (before) return before.done as T
    const done = await work()
    this.#effects.push({ name, done, undo: async () => undo?.(done) })
    return done
  }

  /**
   * As `once`, for what the table must hold before the unit is committed, or although the unit fails. Example: the note of a file
   * that is about to be stored. `work` and `undo` get a unit of their own, which is committed at once.
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

  /** Does this once the unit is committed, with a unit of its own. Its failure is ignored: the change is done. */
  afterCommit(work: (own: UnitOfWork) => unknown): void {
    this.#after.push(() => runUnit(work))
  }

  /** Stores the writes, even if there are none, in another way than one transaction. Example: the switch of a two-phase commit. */
  commitBy(commit: Commit): void {
    this.#commit = commit
  }

  get isEmpty(): boolean {
    return this.#writes.length === 0
  }

  /** Ends the collecting and returns what was collected. Called once, by `runUnit`. */
  close(): { writes: readonly Write[]; commit: Commit | undefined } {
    this.#isOver = true
    return { writes: this.#writes, commit: this.#commit }
  }

  mayRetry(error: unknown): boolean {
    return this.#retries.some(({ when, attempts }) => this.attempt < attempts && when(error))
  }

  /** Does what waits for the commit, in its order. Called once, by `runUnit`. */
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

/**
 * Runs `work` with a unit of work and commits the unit once. What `work` throws is final.
 * When the commit fails in a way that the unit names in `retryOn`, all of `work` runs again with a fresh unit.
 * `around` calls `commit`, and does what belongs before and after it. Nothing added is nothing to commit.
 */
export async function runUnit<T>(
  work: (unit: UnitOfWork) => T | Promise<T>,
  around: (writes: readonly Write[], commit: Commit) => Promise<void> = (writes, commit) => commit(writes),
): Promise<T> {
  const effects: Effects = []
  try {
    for (let attempt = 1; ; attempt += 1) {
      const pending: Pending = new Map()
      const unit = new UnitOfWork(attempt, effects, pending)
      const result = await withPendingReads(pending, async () => work(unit))
      const { writes, commit } = unit.close()
      try {
        if (commit || writes.length > 0) await around(writes, commit ?? transact)
      } catch (error) {
        if (!unit.mayRetry(error)) throw error
        await pauseAfter(attempt)
        continue
      }
      await unit.finish()
      return result
    }
  } catch (error) {
    // What cannot be undone the sweepers find.
    for (const { undo } of effects.reverse()) await undo().catch(() => undefined)
    throw error
  }
}

/**
 * Plans on items as they are now, and commits the plan in a unit of its own, for background work. When somebody was faster the plan is
 * made again, `attempts` times in all; then it fails with `conflict`.
 */
export const commitPlan = <T>(plan: () => Promise<Plan<T>>, attempts?: number): Promise<T> =>
  runUnit(async (unit) => {
    unit.retryOn('conflict', attempts)
    return unit.addPlan(await plan())
  })

/**
 * Stores these writes in a unit of their own, for background work. Use it where the writes are known before the unit opens.
 * Code that reads what it changes uses `runUnit` or `commitPlan`, which may run it again. Fails as `transact` does.
 */
export const commitWrites = (writes: readonly Write[]): Promise<void> => runUnit((unit) => unit.add(writes))

/** The second run begins at once. After that all who try again wait by chance, so as not to meet once more. */
async function pauseAfter(attempt: number): Promise<void> {
  if (attempt > 1) await new Promise((done) => setTimeout(done, clock.random(20 * 2 ** attempt)))
}
