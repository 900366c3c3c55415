import { rm } from 'node:fs/promises'
import { config } from '../../config.ts'
import { Problem, unavailable } from '../../errors.ts'
import { log } from '../../ops/log.ts'
import { openFile } from '../index/snapshot-file.ts'
import { readAfter } from '../log.ts'
import type { Health, Model } from '../query.ts'
import { Corpus } from './corpus.ts'
import { modelOf } from './engine.ts'
import { isBusy, rebuildUnlessMade, whileOtherRebuilds } from './rebuild.ts'
import {
  fetchSnapshot,
  forgetOthers,
  loadPointer,
  markUnreadable,
  pathOf,
  type Snapshot,
  Unreadable,
} from './snapshot.ts'

/**
 * The search model of this process, caught up with the change log. The first call opens it; later ones cost a small query
 * when the last look is older than a moment, else nothing. Fails with `unavailable` while there is no model to open.
 */
export const searchModel = (): Promise<Model> => ours.model()

/** How the model of this process stands; it does not open it. */
export const searchHealth = (): Health => ours.health()

/** A model that is opened when first asked for, and kept up to date. */
export type Follower = { model: () => Promise<Model>; health: () => Health }

/** After a failure to open one, those who ask are answered so at once for so long: each try may fetch a whole snapshot. */
const PAUSE_MS = 1500

/** One such model. A process has one; tests have several, as if they were processes. */
export function follower(): Follower {
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
        // The one that was to be replaced still serves.
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
      // What it has not read is no longer in the log, or a newer snapshot saves it much. Those who hold the old model may
      // still ask it; it closes when nobody does.
      const fresh = await (opening === attempt || !opening ? open() : opening)
      await catchUp(fresh)
      return fresh.model
    },
    health: () => (last ? healthOf(last) : unopened),
  }
}

const ours = follower()

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
  /** When it was last known to be up to date, and when the pointer was looked at, on this process's own clock. */
  looked: number
  checked: number
  looking: Promise<boolean> | undefined
  failed: boolean
}

/** From the snapshot that counts, else the one before it, else from the table. */
async function openAny(): Promise<Opened> {
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
    return made ? openedFrom(made.id, new Corpus(openFile(pathOf(made.id))), 'rebuilt') : await openAny()
  } catch (error) {
    if (pointer || !isBusy(error) || !(await whileOtherRebuilds(8))) throw unopenable(error)
    return openAny()
  }
}

/** Someone else was faster, or the next process will note it. */
const noMark = () => log({ level: 'error', message: 'search snapshot', error: 'not marked as unreadable' })

/** Whoever can do without search is told that there is none, whatever stood in the way. */
function unopenable(error: unknown): Problem {
  if (error instanceof Problem) return error
  log({ level: 'error', message: 'search rebuild', error: error instanceof Error ? error.name : 'unknown' })
  return unavailable()
}

/** Undefined for one that is missing, altered or of another format. That the bucket does not answer is no reason to build anew. */
async function openSnapshot(snapshot: Snapshot, again = true): Promise<Corpus | undefined> {
  try {
    const corpus = new Corpus(openFile(await fetchSnapshot(snapshot)))
    forgetOthers([snapshot.id])
    return corpus
  } catch (error) {
    const reason = error instanceof Unreadable ? error.message : error instanceof Error ? error.name : 'unknown'
    log({ level: 'error', message: 'search snapshot', error: reason })
    if (error instanceof Unreadable) return undefined
    if (reason !== 'ValiError' && !isOfFile(error)) throw unavailable()
    // The copy on this machine may be what is broken.
    await rm(pathOf(snapshot.id), { force: true })
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
    model: modelOf(corpus, config.SEARCH_WEIGHTS, () => `${id}.${opened.position}`),
    looked: Number.NEGATIVE_INFINITY,
    checked: performance.now(),
    looking: undefined,
    failed: false,
  }
  return opened
}

/** Takes in what the log has beyond the model; all who ask meanwhile share the look. False when it must be opened anew. */
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
      const next = await readAfter(it.position)
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
    // A model that is a little behind is better than none; the health answer says so.
    it.failed = true
    log({ level: 'error', message: 'search log', error: error instanceof Error ? error.name : 'unknown' })
    return true
  }
  return !(await hasNewer(it))
}

/** With so many changes in memory a newer snapshot is worth fetching, if there is one; always in place of the previous one. */
const MANY = 20_000
const BETWEEN_CHECKS_MS = 60_000

async function hasNewer(it: Opened): Promise<boolean> {
  if ((it.corpus.changes < MANY && it.from !== 'previous') || performance.now() - it.checked < BETWEEN_CHECKS_MS)
    return false
  it.checked = performance.now()
  const pointer = await loadPointer()
  return pointer !== undefined && !pointer.unreadable && pointer.current.id !== it.id
}
