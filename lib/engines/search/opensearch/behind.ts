import { log } from '../../../base/telemetry/log.ts'
import type { DocumentChange } from '../document.ts'
import { readLogAfter } from '../log.ts'
import { loadIndexes } from './indexes.ts'

/**
 * What the change log holds and the server does not, in the order of the log: its changes are withheld from what the server answers, and
 * looked at as they are now. So a deletion counts from the answer of that change on, however far behind the server is.
 */
export type Behind = { changes: readonly DocumentChange[]; state: string }

/** The most changes that are known beside the server. Of a longer backlog the newest count. */
const MOST_CHANGES = 2000

/** The position up to which this process knows that the server is, and the last answer. */
// prove: memory
let known: { index: string; position: number } | undefined
// prove: memory
let last: Behind | undefined

/** Reads what the server lacks: one small query of the log, and one read of the table while it lacks anything. */
export async function readBehind(): Promise<Behind> {
  try {
    const isFirst = known === undefined
    known ??= await loadPosition()
    let missing = await entriesAfter(known.position)
    if (!isFirst && (missing === undefined || missing.length > 0)) {
      known = await loadPosition()
      const { position } = known
      missing = missing ? missing.filter(({ number }) => number > position) : await entriesAfter(position)
    }
    // Entries that the server never saw are gone: it is made anew. Until then it answers as it is.
    missing ??= []
    const changes = missing.flatMap((entry) => entry.changes).slice(-MOST_CHANGES)
    const end = missing.at(-1)?.number ?? known.position
    last = { changes, state: [known.index, end, missing.length].join('.') }
    return last
  } catch (error) {
    // What was known a moment ago is better than no answer.
    log({ level: 'error', message: 'search log', error: error instanceof Error ? error.name : 'unknown' })
    return last ?? { changes: [], state: 'unknown' }
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
