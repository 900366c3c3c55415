import { clock } from '../../../base/clock.ts'
import { buildSnapshot } from '../index/build.ts'
import { openSnapshotFile } from '../index/snapshot-file.ts'
import { loadLogEnd, readLogAfter } from '../log.ts'
import { loadVocabulary } from '../vocabulary.ts'
import { Corpus } from './corpus.ts'
import { rebuildUnlessMade } from './rebuild.ts'
import {
  fetchSnapshot,
  loadPointer,
  newSnapshotPath,
  type Pointer,
  publishSnapshot,
  removeOtherSnapshots,
  type StoredSnapshot,
} from './snapshot.ts'

/** The fewest changes after which a snapshot is due at any age. */
const CHANGES = 500
/** In a large corpus a snapshot is due only after this share of its documents has changed. */
const CHANGED_SHARE = 0.02
/** A snapshot of this age is due after any change. */
const DAY_MS = 86_400_000

/**
 * Makes the next snapshot if one is due: from the current snapshot and the log, or from the table if no snapshot exists. An unreadable
 * snapshot is replaced at once.
 */
export async function compactIfDue(): Promise<StoredSnapshot | undefined> {
  const [pointer, end] = await Promise.all([loadPointer(), loadLogEnd()])
  if (!pointer) return (await rebuildUnlessMade(pointer))?.snapshot
  const { current, unreadable } = pointer
  const changes = end.changes - current.changes
  const age = clock.now().getTime() - Date.parse(current.made_at)
  const isDue = changes >= Math.max(CHANGES, CHANGED_SHARE * current.documents) || (changes > 0 && age >= DAY_MS)
  if (!isDue && !unreadable) return undefined
  return compactNow(pointer)
}

/** Makes the next snapshot. Builds it from the table if the current snapshot is unreadable or entries of its log are gone. */
export async function compactNow(pointer: Pointer): Promise<StoredSnapshot | undefined> {
  await loadVocabulary()
  const corpus = await corpusAt(pointer.current)
  if (!corpus) return (await rebuildUnlessMade(pointer))?.snapshot
  try {
    let position = pointer.current.position
    let changes = pointer.current.changes
    for (let more = true; more; ) {
      const next = await readLogAfter(position)
      if (next.lost) return (await rebuildUnlessMade(pointer))?.snapshot
      for (const entry of next.entries) {
        for (const change of entry.changes) corpus.apply(change)
        changes += entry.changes.length
        position = entry.number
      }
      more = next.more
    }
    const { id, path } = await newSnapshotPath()
    const built = await buildSnapshot(path, corpus.documents(), position, corpus.gone())
    const snapshot = await publishSnapshot(id, built, changes, pointer)
    removeOtherSnapshots([id, pointer.current.id])
    return snapshot
  } finally {
    corpus.close()
  }
}

async function corpusAt(snapshot: StoredSnapshot): Promise<Corpus | undefined> {
  try {
    return new Corpus(openSnapshotFile(await fetchSnapshot(snapshot)))
  } catch {
    return undefined
  }
}
