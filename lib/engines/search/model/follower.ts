import { rm } from 'node:fs/promises'
import { config } from '../../../base/config.ts'
import { Problem, unavailable } from '../../../base/errors.ts'
import { log } from '../../../base/telemetry/log.ts'
import { openSnapshotFile } from '../index/snapshot-file.ts'
import { readLogAfter } from '../log.ts'
import type { Health, Model } from '../query.ts'
import { loadVocabulary } from '../vocabulary.ts'
import { Corpus } from './corpus.ts'
import { createModel } from './engine.ts'
import { isBusy, rebuildUnlessMade, waitForOtherRebuild } from './rebuild.ts'
import {
  fetchSnapshot,
  loadPointer,
  markUnreadable,
  removeOtherSnapshots,
  type Snapshot,
  snapshotPath,
  UnreadableSnapshot,
} from './snapshot.ts'

/**
 * The search model of this process, up to date with the change log. The first call opens it. A later call costs a small
 * query if the last look is too long ago, else nothing. Fails with `unavailable` while there is no model to open.
 */
export const processModel = (): Promise<Model> => ours.model()

/** How the model of this process stands; it does not open it. */
export const processHealth = (): Health => ours.health()

/** A model that is opened when first asked for, and kept up to date. */
export type Follower = { model: () => Promise<Model>; health: () => Health }

/** After a failure to open, further calls fail at once for so long: each try may fetch a whole snapshot. */
const PAUSE_MS = 1500

/** Makes a follower. A process has one; tests have several, as if they were processes. */
export function createFollower(): Follower {
  let opening: Promise<Opened> | undefined
  let last: Opened | undefined
  let failed = Number.NEGATIVE_INFINITY
  const open = (): Promise<Opened> => {
    if (performance.now() - failed < PAUSE_MS) return Promise.reject(unavailable())
    const before = opening
    const attempt = openAny()
    opening = attempt
    attempt.then(
      (opened) => {
        last = opened
      },
      () => {
        failed = performance.now()
        // The model that was to be replaced still serves.
        if (opening === attempt) opening = before
      },
    )
    return attempt
  }
  return {
    model: async () => {
      const attempt = opening ?? open()
      const opened = await attempt
      if (await catchUp(opened)) return opened.model
      // The log has lost what it has not read, or a newer snapshot saves it much. Callers that hold the old model may
      // still ask it; it closes when nobody does.
      const fresh = await (opening === attempt || !opening ? open() : opening)
      await catchUp(fresh)
      return fresh.model
    },
    health: () => (last ? healthOf(last) : unopened),
  }
}

const ours = createFollower()

const unopened: Health = { healthy: true, message: 'Not opened yet.', snapshot: 'none', position: 0, documents: 0 }

function healthOf({ from, position, corpus, failed }: Opened): Health {
  return {
    healthy: from !== 'previous' && !failed,
    message: failed ? 'The change log cannot be read; what is answered may be out of date.' : messages[from],
    snapshot: from,
    position,
    documents: corpus.alive,
  }
}

const messages = {
  current: 'It follows the change log.',
  previous: 'The current snapshot cannot be read; the previous one serves until the next is made.',
  rebuilt: 'No snapshot could be read; it was built from the table and follows the change log.',
} as const

type Opened = {
  id: string
  from: keyof typeof messages
  corpus: Corpus
  model: Model
  position: number
  /** When it was last up to date, and when the pointer was last looked at, on this process's own clock. */
  looked: number
  checked: number
  looking: Promise<boolean> | undefined
  failed: boolean
}

/** From the current snapshot, else the previous one, else from the table. */
async function openAny(): Promise<Opened> {
  await loadVocabulary()
  const pointer = await loadPointer()
  const current = pointer && (await openSnapshot(pointer.current))
  if (current) return openedFrom(pointer.current.id, current, 'current')
  const previous = pointer?.previous && (await openSnapshot(pointer.previous))
  if (previous) {
    await markUnreadable(pointer).catch(noMark)
    return openedFrom(pointer.previous?.id ?? '', previous, 'previous')
  }
  try {
    const made = await rebuildUnlessMade(pointer)
    return made ? openedFrom(made.id, new Corpus(openSnapshotFile(snapshotPath(made.id))), 'rebuilt') : await openAny()
  } catch (error) {
    if (pointer || !isBusy(error) || !(await waitForOtherRebuild(8))) throw unopenable(error)
    return openAny()
  }
}

/** Another process was faster, or the next one will mark it. */
const noMark = () => log({ level: 'error', message: 'search snapshot', error: 'not marked as unreadable' })

/** Callers that can do without search look for `unavailable`, so whatever else went wrong becomes that. */
function unopenable(error: unknown): Problem {
  if (error instanceof Problem) return error
  log({ level: 'error', message: 'search rebuild', error: error instanceof Error ? error.name : 'unknown' })
  return unavailable()
}

/**
 * Undefined if the snapshot is missing, altered or of another format. If only the bucket does not answer, it fails with
 * `unavailable`: that is no reason to build anew.
 */
async function openSnapshot(snapshot: Snapshot, again = true): Promise<Corpus | undefined> {
  try {
    const corpus = new Corpus(openSnapshotFile(await fetchSnapshot(snapshot)))
    removeOtherSnapshots([snapshot.id])
    return corpus
  } catch (error) {
    const reason = error instanceof UnreadableSnapshot ? error.message : error instanceof Error ? error.name : 'unknown'
    log({ level: 'error', message: 'search snapshot', error: reason })
    if (error instanceof UnreadableSnapshot) return undefined
    if (reason !== 'ValiError' && !isOfFile(error)) throw unavailable()
    // Perhaps only the copy on this machine is broken.
    await rm(snapshotPath(snapshot.id), { force: true })
    return again ? openSnapshot(snapshot, false) : undefined
  }
}

const isOfFile = (error: unknown) => error instanceof Error && 'code' in error && error.code === 'ERR_SQLITE_ERROR'

function openedFrom(id: string, corpus: Corpus, from: Opened['from']): Opened {
  const opened: Opened = {
    id,
    from,
    corpus,
    position: corpus.position,
    model: createModel(corpus, config.SEARCH_WEIGHTS, () => `${id}.${opened.position}`),
    looked: Number.NEGATIVE_INFINITY,
    checked: performance.now(),
    looking: undefined,
    failed: false,
  }
  return opened
}

/**
 * Applies what the log has beyond the model. All who ask meanwhile share the look. False if the model must be opened
 * anew.
 */
function catchUp(it: Opened): Promise<boolean> | true {
  if (performance.now() - it.looked < config.SEARCH_LOOK_MS) return true
  it.looking ??= follow(it).finally(() => {
    it.looking = undefined
  })
  return it.looking
}

async function follow(it: Opened): Promise<boolean> {
  const began = performance.now()
  try {
    for (let more = true; more; ) {
      const next = await readLogAfter(it.position)
      if (next.lost) return false
      for (const entry of next.entries) {
        for (const change of entry.changes) it.corpus.apply(change)
        it.position = entry.number
      }
      more = next.more
    }
    it.looked = began
    it.failed = false
  } catch (error) {
    // A model that is a little behind is better than none. The health answer says so.
    it.failed = true
    log({ level: 'error', message: 'search log', error: error instanceof Error ? error.name : 'unknown' })
    return true
  }
  return !(await hasNewer(it))
}

/**
 * With so many changes in memory a newer snapshot is worth fetching. In place of the previous snapshot it always is.
 */
const MANY = 20_000
const BETWEEN_CHECKS_MS = 60_000

async function hasNewer(it: Opened): Promise<boolean> {
  if ((it.corpus.changes < MANY && it.from !== 'previous') || performance.now() - it.checked < BETWEEN_CHECKS_MS)
    return false
  it.checked = performance.now()
  const pointer = await loadPointer()
  return pointer !== undefined && !pointer.unreadable && pointer.current.id !== it.id
}
