import { rm } from 'node:fs/promises'
import { config } from '../../../base/config.ts'
import { dependencyAway } from '../../../base/dependency.ts'
import { Problem, unavailable } from '../../../base/errors.ts'
import { log } from '../../../base/telemetry/log.ts'
import { openSnapshotFile } from '../index/snapshot-file.ts'
import { readLogAfter } from '../log.ts'
import type { Model, ModelHealth } from '../query.ts'
import { loadVocabulary } from '../vocabulary.ts'
import { Corpus } from './corpus.ts'
import { createModel } from './engine.ts'
import { isBusy, rebuildUnlessMade, waitForOtherRebuild } from './rebuild.ts'
import {
  fetchSnapshot,
  loadPointer,
  markUnreadable,
  removeOtherSnapshots,
  type StoredSnapshot,
  snapshotPath,
  UnreadableSnapshot,
} from './snapshot.ts'

/**
 * The search model of this process, with all that the change log held at the moment of the call. The first call opens it. A later
 * call reads the log with one small query, which callers share. Fails with `unavailable` while no model can be opened.
 */
export const processModel = (): Promise<Model> => processFollower.model()

/** The health of the model of this process. Does not open it. */
export const processHealth = (): ModelHealth => processFollower.health()

/** Milliseconds after a failure to open, in which calls fail at once. Each attempt may fetch a whole snapshot. */
const PAUSE_MS = 1500

/** Opens a model with the first question and keeps it up to date. A process has one follower. A test may have several. */
export class ModelFollower {
  #opening: Promise<OpenModel> | undefined
  #last: OpenModel | undefined
  #failedAt = Number.NEGATIVE_INFINITY

  /** Returns the model, with all entries of the log applied. */
  async model(): Promise<Model> {
    const attempt = this.#opening ?? this.#open()
    const opened = await attempt
    if (await opened.catchUp()) return opened.model
    // The log has lost entries that this model has not read, or a newer snapshot is cheaper than reading many entries. Requests that hold
    // the old model may still use it.
    const fresh = await (this.#opening === attempt || !this.#opening ? this.#open() : this.#opening)
    await fresh.catchUp()
    return fresh.model
  }

  health(): ModelHealth {
    return this.#last?.health() ?? unopened
  }

  #open(): Promise<OpenModel> {
    if (performance.now() - this.#failedAt < PAUSE_MS) return Promise.reject(unavailable(undefined, 'search'))
    const before = this.#opening
    const attempt = openAny()
    this.#opening = attempt
    attempt.then(
      (opened) => {
        this.#last = opened
      },
      () => {
        this.#failedAt = performance.now()
        // The model that the attempt should have replaced stays in use.
        if (this.#opening === attempt) this.#opening = before
      },
    )
    return attempt
  }
}

// prove: memory
const processFollower = new ModelFollower()

const unopened: ModelHealth = { healthy: true, message: 'Not opened yet.', snapshot: 'none', position: 0, documents: 0 }

const messages = {
  current: 'It follows the change log.',
  previous: 'The current snapshot cannot be read; the previous one serves until the next is made.',
  rebuilt: 'No snapshot could be read; it was built from the table and follows the change log.',
} as const

/** Changes in memory from which on a newer snapshot is worth fetching. */
const MANY_CHANGES = 20_000
/** The least milliseconds between two reads of the snapshot pointer by an open model. */
const BETWEEN_CHECKS_MS = 60_000

/** A model of an open snapshot, which follows the change log. Times are of the process's own clock. */
class OpenModel {
  readonly model: Model
  readonly #id: string
  readonly #corpus: Corpus
  readonly #from: keyof typeof messages
  #position: number
  #pointerCheckedAt = performance.now()
  #following: Promise<boolean> | undefined
  #nextFollowing: Promise<boolean> | undefined
  #logFailed = false

  constructor(id: string, corpus: Corpus, from: keyof typeof messages) {
    this.#id = id
    this.#corpus = corpus
    this.#from = from
    this.#position = corpus.position
    this.model = createModel(corpus, config.SEARCH_WEIGHTS, () => `${id}.${this.#position}`)
  }

  health(): ModelHealth {
    return {
      healthy: this.#from !== 'previous' && !this.#logFailed,
      message: this.#logFailed
        ? 'The change log cannot be read; what is answered may be out of date.'
        : messages[this.#from],
      snapshot: this.#from,
      position: this.#position,
      documents: this.#corpus.alive,
    }
  }

  /**
   * Applies the new entries of the log. False if another model must be opened instead. A read that is under way may have begun too early
   * for this caller. So the caller waits for the next read, shared with all callers that come before it begins.
   */
  catchUp(): Promise<boolean> {
    if (this.#nextFollowing) return this.#nextFollowing
    if (!this.#following) return this.#beginFollowing()
    const beginNext = () => {
      this.#nextFollowing = undefined
      return this.#beginFollowing()
    }
    this.#nextFollowing = this.#following.then(beginNext, beginNext)
    return this.#nextFollowing
  }

  #beginFollowing(): Promise<boolean> {
    this.#following = this.#follow().finally(() => {
      this.#following = undefined
    })
    return this.#following
  }

  async #follow(): Promise<boolean> {
    try {
      for (let more = true; more; ) {
        const page = await readLogAfter(this.#position)
        if (page.lost) return false
        for (const entry of page.entries) {
          for (const change of entry.changes) this.#corpus.apply(change)
          this.#position = entry.number
        }
        more = page.more
      }
      this.#logFailed = false
    } catch (error) {
      // A model that is a little behind is better than none.
      this.#logFailed = true
      log({ level: 'error', message: 'search log', error: error instanceof Error ? error.name : 'unknown' })
      return true
    }
    return !(await this.#isOutdated())
  }

  /** Whether a newer snapshot exists that is worth fetching. Reads the pointer at most once a minute. */
  async #isOutdated(): Promise<boolean> {
    const isWorthIt = this.#corpus.changes >= MANY_CHANGES || this.#from === 'previous'
    if (!isWorthIt || performance.now() - this.#pointerCheckedAt < BETWEEN_CHECKS_MS) return false
    this.#pointerCheckedAt = performance.now()
    const pointer = await loadPointer()
    return pointer !== undefined && !pointer.unreadable && pointer.current.id !== this.#id
  }
}

/** Opens the current snapshot, else the previous snapshot, else builds a snapshot from the table. */
async function openAny(): Promise<OpenModel> {
  await loadVocabulary()
  const pointer = await loadPointer()
  const current = pointer && (await openSnapshot(pointer.current))
  if (current) return new OpenModel(pointer.current.id, current, 'current')
  // The snapshot is marked before anything is built. Building from a large table may take longer than a request may. Then the sweeper
  // builds, which has more time.
  if (pointer) await markUnreadable(pointer).catch(logUnmarked)
  const previous = pointer?.previous && (await openSnapshot(pointer.previous))
  if (previous) return new OpenModel(pointer.previous?.id ?? '', previous, 'previous')
  try {
    const built = await rebuildUnlessMade(pointer)
    return built
      ? new OpenModel(built.id, new Corpus(openSnapshotFile(snapshotPath(built.id))), 'rebuilt')
      : await openAny()
  } catch (error) {
    if (pointer || !isBusy(error) || !(await waitForOtherRebuild(8))) throw unavailableFor(error)
    return openAny()
  }
}

/** Marking may fail: another process has marked the snapshot, or the next process will. */
const logUnmarked = () => log({ level: 'error', message: 'search snapshot', error: 'not marked as unreadable' })

/** Callers that can do without search expect `unavailable`. So any other error is logged and becomes `unavailable`. */
function unavailableFor(error: unknown): Problem {
  if (error instanceof Problem) return error
  const name = error instanceof Error ? error.name : 'unknown'
  const dependency = dependencyAway(error)
  log({ level: 'error', message: 'search rebuild', dependency, error: name })
  return unavailable(undefined, dependency ?? 'search')
}

/**
 * Opens a snapshot. Undefined if it is missing, altered or of another format. Fails with `unavailable` if only the bucket does not
 * answer: then the snapshot need not be built again.
 */
async function openSnapshot(snapshot: StoredSnapshot, isFirstTry = true): Promise<Corpus | undefined> {
  try {
    const corpus = new Corpus(openSnapshotFile(await fetchSnapshot(snapshot)))
    removeOtherSnapshots([snapshot.id])
    return corpus
  } catch (error) {
    const reason = error instanceof UnreadableSnapshot ? error.message : error instanceof Error ? error.name : 'unknown'
    log({ level: 'error', message: 'search snapshot', error: reason })
    if (error instanceof UnreadableSnapshot) return undefined
    if (reason !== 'ValiError' && !isOfFile(error)) throw unavailable(undefined, 'bucket')
    // Perhaps only the copy on this machine is broken.
    await rm(snapshotPath(snapshot.id), { force: true })
    return isFirstTry ? openSnapshot(snapshot, false) : undefined
  }
}

const isOfFile = (error: unknown) => error instanceof Error && 'code' in error && error.code === 'ERR_SQLITE_ERROR'
