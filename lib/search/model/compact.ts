import { clock } from '../../clock.ts'
import { build } from '../index/build.ts'
import { openFile } from '../index/snapshot-file.ts'
import { lastEntry, readAfter } from '../log.ts'
import { Corpus } from './corpus.ts'
import { rebuildUnlessMade } from './rebuild.ts'
import { fetchSnapshot, forgetOthers, loadPointer, newPlace, type Pointer, publish, type Snapshot } from './snapshot.ts'

/**
 * A new snapshot is due after so many changes, or this part of all documents, whichever is more, or after a day with any; at
 * once where someone could not read the one that counts.
 */
const CHANGES = 500
const SHARE = 0.02
const DAY_MS = 86_400_000

/** Makes a new snapshot of the one that counts and of the log behind it, when one is due; from the table where there is none. */
export async function compact(): Promise<Snapshot | undefined> {
  const [pointer, end] = await Promise.all([loadPointer(), lastEntry()])
  if (!pointer) return (await rebuildUnlessMade(pointer))?.snapshot
  const { current, unreadable } = pointer
  const changes = end.changes - current.changes
  const age = clock.now().getTime() - Date.parse(current.made_at)
  const enough = changes >= Math.max(CHANGES, SHARE * current.documents) || (changes > 0 && age >= DAY_MS)
  if (!enough && !unreadable) return undefined
  return compactNow(pointer)
}

/** Makes it, due or not. A snapshot that cannot be read, or whose log is gone, is made anew from the table. */
export async function compactNow(pointer: Pointer): Promise<Snapshot | undefined> {
  const corpus = await corpusAt(pointer.current)
  if (!corpus) return (await rebuildUnlessMade(pointer))?.snapshot
  try {
    let position = pointer.current.position
    let changes = pointer.current.changes
    for (let more = true; more; ) {
      const next = await readAfter(position)
      if (next.lost) return (await rebuildUnlessMade(pointer))?.snapshot
      for (const entry of next.entries) {
        for (const change of entry.changes) corpus.apply(change)
        changes += entry.changes.length
        position = entry.number
      }
      more = next.more
    }
    const { id, path } = await newPlace()
    const built = await build(path, corpus.documents(), position, corpus.gone())
    const snapshot = await publish(id, built, changes, pointer)
    forgetOthers([id, pointer.current.id])
    return snapshot
  } finally {
    corpus.close()
  }
}

async function corpusAt(snapshot: Snapshot): Promise<Corpus | undefined> {
  try {
    return new Corpus(openFile(await fetchSnapshot(snapshot)))
  } catch {
    return undefined
  }
}
