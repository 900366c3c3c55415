import { setTimeout as sleep } from 'node:timers/promises'
import { clock } from '../../../base/clock.ts'
import { Problem } from '../../../base/errors.ts'
import { withLock } from '../../table/immediate.ts'
import { changesInTable } from '../changes-in-table.ts'
import { type GoneDocument, isGone, type SearchDocument } from '../document.ts'
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

/** Reports the number of items read, and of documents in them. */
export type RebuildProgress = (items: number, documents: number) => void
export type RebuildResult = BuildResult & { id: string; snapshot: StoredSnapshot | undefined }

/** Seconds for which a rebuild holds its lock. Nothing ends a longer rebuild: after this time another process may begin one beside it. */
const LOCK_SECONDS = 300

/**
 * Makes a snapshot from all items of the table. It reads the end of the log first. A change during the rebuild is then read from the table,
 * from the log, or from both: its version shows which is newer. Fails with `unavailable` while another process rebuilds.
 */
export const rebuildSnapshot = (progress: RebuildProgress = () => undefined): Promise<RebuildResult> =>
  withRebuildLock(async () => buildFromTable(await loadPointer(), progress))

/**
 * Makes a snapshot if the pointer still names the current snapshot of `seen`, which the caller could not use. Undefined if another process has
 * made one since then. So only one of many starting processes builds a snapshot. Fails like `rebuildSnapshot`.
 */
export const rebuildUnlessMade = (seen: Pointer | undefined): Promise<RebuildResult | undefined> =>
  withRebuildLock(async () => {
    const old = await loadPointer()
    return old && old.current.id !== seen?.current.id ? undefined : buildFromTable(old, () => undefined)
  })

/** Another process rebuilds. A table without room also gives `unavailable`, but only a rebuild is worth waiting for. */
class RebuildUnderWay extends Problem {
  constructor() {
    super('unavailable', 'The search model is being built. Try again.', {
      headers: { 'retry-after': '1' },
      dependency: 'search',
    })
  }
}

async function withRebuildLock<T>(work: () => Promise<T>): Promise<T> {
  const done = await withLock(searchKey.searchRebuild(), LOCK_SECONDS, async () => ({ result: await work() }))
  if (!done) throw new RebuildUnderWay()
  return done.result
}

async function buildFromTable(old: Pointer | undefined, progress: RebuildProgress): Promise<RebuildResult> {
  const [end, { id, path }] = await Promise.all([loadLogEnd(), newSnapshotPath()])
  const gone: GoneDocument[] = []
  const built = await buildSnapshot(path, documentsInTable(gone, progress), end.number, gone)
  const snapshot = await publishSnapshot(id, built, end.changes, old)
  removeOtherSnapshots([id])
  return { ...built, id, snapshot }
}

/** Milliseconds before the second read. Each pause doubles, so that many waiting processes do not flood one item. */
const FIRST_PAUSE_MS = 100
/** The longest pause between two reads, in milliseconds. */
const LONGEST_PAUSE_MS = 1600

/** Waits until a snapshot exists, at most `seconds`. Returns whether one exists. */
export async function waitForOtherRebuild(seconds: number): Promise<boolean> {
  const until = performance.now() + seconds * 1000
  for (let pause = FIRST_PAUSE_MS; performance.now() < until; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
    if (await loadPointer()) return true
    await sleep(pause + clock.random(pause))
  }
  return false
}

/** Whether a rebuild failed because another process rebuilds. */
export const isBusy = (error: unknown): boolean => error instanceof RebuildUnderWay

async function* documentsInTable(gone: GoneDocument[], progress: RebuildProgress): AsyncGenerator<SearchDocument> {
  for await (const change of changesInTable(progress)) {
    if (isGone(change)) gone.push(change)
    else yield change
  }
}
