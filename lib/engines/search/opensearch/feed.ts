import * as v from 'valibot'
import { isProblem } from '../../../base/errors.ts'
import { log } from '../../../base/telemetry/log.ts'
import type { DocumentChange } from '../document.ts'
import { readLogAfter } from '../log.ts'
import { loadVocabulary } from '../vocabulary.ts'
import { callServer, Refused } from './client.ts'
import { type Indexes, loadIndexes, saveIndexes, takingChanges } from './indexes.ts'
import { bulkLines } from './layout.ts'

/** The most bytes of one bulk request. */
const MOST_BYTES = 8_000_000
/** The status of a change if the server has this version of the document, or a newer one. */
const OLDER = 409

/** Entries that the server lacks are gone from the log. Only a rebuild of the index from the table mends that. The sweeper does the rebuild. */
export class Missed extends Error {
  override readonly name = 'Missed'
}

/**
 * Brings the server up to the end of the change log. Returns the number of changes. The stored position moves on only when questions find
 * all changes up to it. So the next call writes what this one could not write. Fails with `Missed`.
 */
export async function feedServer(): Promise<number> {
  let count = 0
  let known = await loadIndexes()
  while (known?.current) {
    const { entries, more, lost } = await readLogAfter(known.position)
    if (lost) throw new Missed()
    const last = entries.at(-1)
    if (!last) break
    const changes = entries.flatMap((entry) => entry.changes)
    await writeChanges(takingChanges(known), changes)
    count += changes.length
    const next = await moveOn(known, last.number)
    if (!more || !next) break
    known = next
  }
  return count
}

/** Stores how far the server is. Undefined if another process has changed the item meanwhile. That process goes on. */
async function moveOn(known: Indexes, position: number): Promise<Indexes | undefined> {
  try {
    return await saveIndexes(known, { position })
  } catch (error) {
    if (isProblem(error, 'conflict')) return undefined
    throw error
  }
}

/** Calls `feedServer` for callers whose own work is done: a failure is logged, and the next call catches up. */
export async function feedServerLater(): Promise<void> {
  await feedServer().catch((error: unknown) => {
    log({ level: 'error', message: 'search server', error: error instanceof Error ? error.name : 'unknown' })
  })
}

const Bulk = v.object({
  items: v.array(v.record(v.string(), v.object({ status: v.number(), error: v.optional(v.unknown()) }))),
})

/** Writes changes to indexes, and with `wait_for` waits until questions find them. Skips older versions than those of the server. */
export async function writeChanges(
  indexes: readonly string[],
  changes: readonly DocumentChange[],
  refresh: 'wait_for' | 'false' = 'wait_for',
): Promise<void> {
  await loadVocabulary()
  for (const index of indexes) {
    let [lines, bytes]: [string[], number] = [[], 0]
    const flush = async () => {
      if (lines.length > 0) await bulk(`${lines.join('\n')}\n`, refresh)
      lines = []
      bytes = 0
    }
    for (const change of changes) {
      const added = bulkLines(index, [change])
      lines.push(...added)
      bytes += added.reduce((sum, line) => sum + line.length, 0)
      if (bytes > MOST_BYTES) await flush()
    }
    await flush()
  }
}

async function bulk(body: string, refresh: string): Promise<void> {
  const { items } = v.parse(Bulk, await callServer('POST', `/_bulk?refresh=${refresh}`, body))
  const failed = items.flatMap((item) => Object.values(item)).find(({ status }) => status >= 400 && status !== OLDER)
  if (failed) throw new Refused(failed.status, JSON.stringify(failed.error).slice(0, 500))
}
