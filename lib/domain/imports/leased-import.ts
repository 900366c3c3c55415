import { now } from '../../base/clock.ts'
import { isConflict, isDone, Problem } from '../../base/errors.ts'
import { log } from '../../base/telemetry/log.ts'
import { commitWrites } from '../../engines/table/immediate.ts'
import { get, heldFor, isHeld, nextTake, put, withNextVersion } from '../../engines/table/index.ts'
import { type Import, importItem, type TaskState } from './items.ts'
import { firstSentence } from './references.ts'

/** A worker that has not renewed its lease for this long is taken for dead. */
const LEASE_S = 120
const RENEWAL_MS = 40_000
/** Temporary failures in a row after which a task is given up. */
const FAILURE_LIMIT = 5
const WORKER_ENDED = 'The process that worked on this ended three times. The file is probably too large for it.'

/** An import on which one worker works. Its writes run one after another, and each of them renews the lease. */
export class LeasedImport {
  /** The import as it was last stored. */
  item: Import
  #lastWrite: Promise<unknown> = Promise.resolve()

  constructor(item: Import) {
    this.item = item
  }

  /**
   * Stores changes of the import and of its task; `task: null` ends the task. Fails with `conflict` if another worker has
   * taken the import meanwhile.
   */
  save(changes: Partial<Import>, task: Partial<TaskState> | null = {}): Promise<Import> {
    const saved = this.#lastWrite.then(() => this.#write(changes, task))
    this.#lastWrite = saved.catch(() => undefined)
    return saved
  }

  /** Stores how far the task is. Failures and takes are counted from here anew. */
  saveProgress(changes: Partial<Import>, progress: Partial<TaskState>): Promise<Import> {
    return this.save(changes, { failures: 0, takes: 0, ...progress })
  }

  /** Gives the lease back, so that the next visit continues the task. */
  async release(): Promise<void> {
    await this.save({}, { takes: 0, held_until: now() })
  }

  /** Renews the lease while `work` runs. */
  async keepDuring<T>(work: () => Promise<T>): Promise<T> {
    const renewal = setInterval(() => void this.save({}).catch(() => undefined), RENEWAL_MS)
    try {
      return await work()
    } finally {
      clearInterval(renewal)
    }
  }

  async #write(changes: Partial<Import>, task: Partial<TaskState> | null): Promise<Import> {
    const stored = this.item
    const work = task === null || !stored.work ? null : { ...stored.work, held_until: heldFor(LEASE_S), ...task }
    const next = withNextVersion(stored, { ...changes, work, updated_at: now() })
    await commitWrites([put(importItem, next, stored)])
    this.item = next
    return next
  }
}

/**
 * Takes the lease of an import. Undefined if another worker holds it, if no task is left, or if too many workers died on the task. Such a
 * task ends with a reason.
 */
export async function takeLease(id: string): Promise<LeasedImport | undefined> {
  const stored = await get(importItem, { id })
  if (!stored?.work || isHeld(stored.work)) return undefined
  const lease = new LeasedImport(stored)
  const takes = nextTake(stored.work.takes)
  if (takes === undefined) {
    await isDone(giveUp(lease, stored.work, WORKER_ENDED))
    return undefined
  }
  return (await isDone(lease.save({}, { takes }))) ? lease : undefined
}

/**
 * Leaves the task for the next visit if the error passes by itself, else ends the task with a reason. Returns whether the task
 * has ended. A `conflict` is thrown again: another worker has the import.
 */
export async function failTask(lease: LeasedImport, error: unknown): Promise<boolean> {
  if (isConflict(error)) throw error
  // As it is stored by now: progress during the visit has set the failures to 0.
  const task = lease.item.work
  if (!task) return true
  const failures = task.failures + 1
  if (isPassing(error) && failures < FAILURE_LIMIT) {
    await lease.save({}, { failures, takes: 0, held_until: now() })
    log({ level: 'error', message: 'import', error: error instanceof Error ? error.name : 'unknown' })
    return false
  }
  await giveUp(lease, task, error instanceof Problem ? firstSentence(error) : 'It has failed again and again.')
  return true
}

const isPassing = (error: unknown) =>
  !(error instanceof Problem) || error.code === 'unavailable' || error.code === 'too_many'

/** Ends the task. `failed` of the import says why; the rows that a run has written stay. */
function giveUp(lease: LeasedImport, { task }: TaskState, failed: string): Promise<Import> {
  if (task === 'read') return lease.save({ failed, state: 'failed' }, null)
  if (task === 'run') return lease.save({ failed, state: 'done' }, null)
  return lease.save({ failed }, null)
}
