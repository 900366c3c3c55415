import { setTimeout as sleep } from 'node:timers/promises'
import { clock, nowSeconds } from '../../clock.ts'
import { Problem, unavailable } from '../../errors.ts'
import { removeEntry, reserve } from '../../table/item.ts'
import { key } from '../../table/keys.ts'
import { scan } from '../../table/scan.ts'
import { transact } from '../../table/write.ts'
import { type Document, type Gone, isGone } from '../document.ts'
import { type Built, build } from '../index/build.ts'
import { lastEntry } from '../log.ts'
import { documentSource } from './documents.ts'
import { forgetOthers, loadPointer, newPlace, type Pointer, publish, type Snapshot } from './snapshot.ts'

/** How far a rebuild has come. */
export type Progress = (looked: number, documents: number) => void
export type Rebuilt = Built & { id: string; snapshot: Snapshot | undefined }

/** Nobody else rebuilds for so long; whoever dies over it holds others up no longer. */
const SECONDS = 300

/**
 * Makes a snapshot from the table itself, which holds all that search knows. The log's end is noted before anything is read:
 * whatever is written meanwhile is read here, or follows in the log, or both, and then its version tells. Fails with
 * `unavailable` while someone else is at it.
 */
export const rebuild = (progress: Progress = () => undefined): Promise<Rebuilt> =>
  alone(async () => make(await loadPointer(), progress))

/**
 * The same for those who come to it because the snapshots that `seen` names are of no use; undefined when someone has made
 * another one since. Of many who start at once, the last comes here when the first is done.
 */
export const rebuildUnlessMade = (seen: Pointer | undefined): Promise<Rebuilt | undefined> =>
  alone(async () => {
    const old = await loadPointer()
    return old && old.current.id !== seen?.current.id ? undefined : make(old, () => undefined)
  })

/** Does it while nobody else does. */
async function alone<T>(work: () => Promise<T>): Promise<T> {
  const busy = () => unavailable('The search model is being built. Try again.')
  await transact([reserve(key.searchRebuild(), nowSeconds(), SECONDS, busy)])
  try {
    return await work()
  } finally {
    await transact([removeEntry(key.searchRebuild())])
  }
}

async function make(old: Pointer | undefined, progress: Progress): Promise<Rebuilt> {
  const [end, { id, path }] = await Promise.all([lastEntry(), newPlace()])
  const gone: Gone[] = []
  const built = await build(path, documentsInTable(gone, progress), end.number, gone)
  const snapshot = await publish(id, built, end.changes, old)
  forgetOthers([id])
  return { ...built, id, snapshot }
}

/** The pauses between looks, in milliseconds: they double, so that many who wait do not keep asking for one item. */
const FIRST_PAUSE = 100
const LONGEST_PAUSE = 1600

/** Waits for whoever rebuilds right now, and answers whether there is a snapshot then. */
export async function whileOtherRebuilds(seconds: number): Promise<boolean> {
  const until = performance.now() + seconds * 1000
  for (let pause = FIRST_PAUSE; performance.now() < until; pause = Math.min(2 * pause, LONGEST_PAUSE)) {
    if (await loadPointer()) return true
    await sleep(pause + clock.random(pause))
  }
  return false
}

export const isBusy = (error: unknown): boolean => error instanceof Problem && error.code === 'unavailable'

async function* documentsInTable(gone: Gone[], progress: Progress): AsyncGenerator<Document> {
  let [looked, documents] = [0, 0]
  const { types, documentOf } = documentSource()
  const pages = scan(types, (items) => {
    looked += items
  })
  for await (const page of pages) {
    for (const stored of page) {
      const change = documentOf(stored)
      if (!change) continue
      if (isGone(change)) gone.push(change)
      else {
        documents += 1
        yield change
      }
    }
    progress(looked, documents)
  }
}
