import { setTimeout as sleep } from 'node:timers/promises'
import { clock } from '../../../base/clock.ts'
import { Problem, unavailable } from '../../../base/errors.ts'
import { withLock } from '../../table/immediate.ts'
import { scan } from '../../table/index.ts'
import { documentSource, type GoneDocument, isGone, type SearchDocument } from '../document.ts'
import { type BuildResult, buildSnapshot } from '../index/build.ts'
import { searchKey } from '../keys.ts'
import { loadLogEnd } from '../log.ts'
import {
  loadPointer,
  newSnapshotPath,
  type Pointer,
  publishSnapshot,
  removeOtherSnapshots,
  type StoredSnapshot,
} from './snapshot.ts'

/** Reports how many items have been read, and how many documents were found in them. */
export type RebuildProgress = (looked: number, documents: number) => void
export type RebuildResult = BuildResult & { id: string; snapshot: StoredSnapshot | undefined }

/** Longest time of a rebuild, in seconds. The lock of a process that died ends then. */
const SECONDS = 300

/**
 * Makes a snapshot from all items of the table. The end of the log is noted first. A change that comes meanwhile is
 * read here, or from the log, or twice: then its version decides. Fails with `unavailable` while another process
 * rebuilds.
 */
export const rebuildSnapshot = (progress: RebuildProgress = () => undefined): Promise<RebuildResult> =>
  withRebuildLock(async () => make(await loadPointer(), progress))

/**
 * The same for a process that could not use the snapshots of `seen`. Undefined if somebody has made another one since:
 * of many processes that start at once, one builds and the others find it.
 */
export const rebuildUnlessMade = (seen: Pointer | undefined): Promise<RebuildResult | undefined> =>
  withRebuildLock(async () => {
    const old = await loadPointer()
    return old && old.current.id !== seen?.current.id ? undefined : make(old, () => undefined)
  })

async function withRebuildLock<T>(work: () => Promise<T>): Promise<T> {
  const done = await withLock(searchKey.searchRebuild(), SECONDS, async () => ({ result: await work() }))
  if (!done) throw unavailable('The search model is being built. Try again.')
  return done.result
}

async function make(old: Pointer | undefined, progress: RebuildProgress): Promise<RebuildResult> {
  const [end, { id, path }] = await Promise.all([loadLogEnd(), newSnapshotPath()])
  const gone: GoneDocument[] = []
  const built = await buildSnapshot(path, documentsInTable(gone, progress), end.number, gone)
  const snapshot = await publishSnapshot(id, built, end.changes, old)
  removeOtherSnapshots([id])
  return { ...built, id, snapshot }
}

/** Pauses between looks, in milliseconds. They double, so that many waiting processes do not flood one item. */
const FIRST_PAUSE = 100
const LONGEST_PAUSE = 1600

/** Waits while another process rebuilds. Returns whether there is a snapshot then. */
export async function waitForOtherRebuild(seconds: number): Promise<boolean> {
  const until = performance.now() + seconds * 1000
  for (let pause = FIRST_PAUSE; performance.now() < until; pause = Math.min(2 * pause, LONGEST_PAUSE)) {
    if (await loadPointer()) return true
    await sleep(pause + clock.random(pause))
  }
  return false
}

export const isBusy = (error: unknown): boolean => error instanceof Problem && error.code === 'unavailable'

async function* documentsInTable(gone: GoneDocument[], progress: RebuildProgress): AsyncGenerator<SearchDocument> {
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
