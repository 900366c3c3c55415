import { unavailable } from '../../../base/errors.ts'
import { log } from '../../../base/telemetry/log.ts'
import type { DocumentChange } from '../document.ts'
import { readLogAfter } from '../log.ts'
import { loadIndexes } from './indexes.ts'

/**
 * The changes that the log holds and the server lacks, in the order of the log. Their documents are left out of the server's answers, and
 * our engine searches them as they are now. So what a change hides is gone at once.
 */
export type Behind = { changes: readonly DocumentChange[]; state: string }

/**
 * The most changes that are held beside the server. If the server lacks more, its answers might show what those changes hide. So searches
 * fail.
 */
export const MOST_CHANGES = 2000

/** The position of the server that this process read last, and what `readBehind` returned last. */
// prove: memory
let known: { index: string; position: number } | undefined
// prove: memory
let last: Behind | undefined

/**
 * Reads what the server lacks: one small query of the log, and one read of the table while it lacks anything. Fails with `unavailable` if the
 * server lacks too much, or entries that are gone from the log.
 */
export async function readBehind(): Promise<Behind> {
  const missing = await readMissing()
  if (missing === 'unknown' && last) return last
  const changes = typeof missing === 'object' ? missing.flatMap((entry) => entry.changes) : []
  if (!known || typeof missing === 'string' || changes.length > MOST_CHANGES) throw unavailable(undefined, 'search')
  const end = missing.at(-1)?.number ?? known.position
  last = { changes, state: [known.index, end, missing.length].join('.') }
  return last
}

/** Reads the entries that the server lacks. `gone`: some are not in the log any more. `unknown`: the table does not answer. */
async function readMissing(): Promise<Entry[] | 'gone' | 'unknown'> {
  try {
    const isFirst = known === undefined
    known ??= await loadPosition()
    let missing = await entriesAfter(known.position)
    if (!isFirst && (missing === undefined || missing.length > 0)) {
      known = await loadPosition()
      const { position } = known
      missing = missing ? missing.filter(({ number }) => number > position) : await entriesAfter(position)
    }
    return missing ?? 'gone'
  } catch (error) {
    // What was read a moment ago is better than no answer.
    log({ level: 'error', message: 'search log', error: error instanceof Error ? error.name : 'unknown' })
    return 'unknown'
  }
}

const loadPosition = async () => {
  const indexes = await loadIndexes()
  return { index: indexes?.current?.index ?? 'none', position: indexes?.position ?? 0 }
}

type Entry = { number: number; changes: DocumentChange[] }

/** All entries after a position. Undefined if the first of them is gone. */
async function entriesAfter(position: number): Promise<Entry[] | undefined> {
  const entries: Entry[] = []
  for (let from = position; ; ) {
    const page = await readLogAfter(from)
    if (page.lost) return undefined
    entries.push(...page.entries)
    from = page.entries.at(-1)?.number ?? from
    if (!page.more) return entries
  }
}
