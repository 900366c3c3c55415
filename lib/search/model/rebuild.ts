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
import { forgetOthers, loadPointer, newPlace, publish, type Snapshot } from './snapshot.ts'

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
export async function rebuild(progress: Progress = () => undefined): Promise<Rebuilt> {
  const busy = () => unavailable('The search model is being built. Try again.')
  await transact([reserve(key.searchRebuild(), nowSeconds(), SECONDS, busy)])
  try {
    const [old, end, { id, path }] = await Promise.all([loadPointer(), lastEntry(), newPlace()])
    const gone: Gone[] = []
    const built = await build(path, documentsInTable(gone, progress), end.number, gone)
    const snapshot = await publish(id, built, end.changes, old)
    await forgetOthers([id])
    return { ...built, id, snapshot }
  } finally {
    await transact([removeEntry(key.searchRebuild())])
  }
}

/** Waits for whoever rebuilds right now, and answers whether there is a snapshot then. */
export async function whileOtherRebuilds(seconds: number): Promise<boolean> {
  const until = performance.now() + seconds * 1000
  while (performance.now() < until) {
    if (await loadPointer()) return true
    await new Promise((done) => setTimeout(done, 100 + clock.random(100)))
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
