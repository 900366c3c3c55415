import { isConflict, Problem } from '../errors.ts'
import type { Actor } from '../permissions.ts'
import { loadHistory } from '../records/history.ts'
import { byAge, lists, type Waiting, waits } from '../records/queue-entry.ts'
import { decide } from '../review/decide.ts'
import { parse } from '../table/item.ts'
import { placed } from '../table/keys.ts'
import { walk } from '../table/read.ts'
import type { Decide, Outcome } from './items.ts'
import { resultsOf } from './results.ts'

const PAGE = 100
const AT_ONCE = 8

/** The next rows of a batch that wait, behind a row, in order. */
async function waitingRows(id: string, behind: number, limit = PAGE): Promise<Waiting[]> {
  const beyond = `${placed(behind)}#~`
  const items = await walk({ index: 'gsi1', pk: lists.batch(id), forward: true, limit, beyond })
  return items.map((item) => parse(byAge, item))
}

/** What is asked of a batch; `among` has the rows of the outcome that is meant. */
type Asked = Decide & { among?: ReadonlySet<number> | undefined }

/** The rows of which the dry run said so. */
export async function rowsSaid(id: string, chunks: number, outcome: Outcome): Promise<Set<number>> {
  const found = new Set<number>()
  for (let chunk = 0; chunk < chunks; chunk += 1)
    for (const it of await resultsOf(id, chunk)) if (it.outcome === outcome) found.add(it.row)
  return found
}

/** How far deciding has come: behind which row, how many were decided on, and whether that was all. */
export type Step = { next: number; decided: number; ended: boolean }

/**
 * Decides on the next rows of a batch, each by a verdict like any other, under the same rules. What holds a contradiction, what was
 * escalated and what others were faster with is left to be decided on by itself.
 */
export async function decideRows(id: string, asked: Asked, reviewer: Actor, behind: number): Promise<Step> {
  const found = await waitingRows(id, behind)
  const ended = found.length < PAGE
  const page = ended ? found : wholeRows(found)
  const wanted = page.filter((it) => isAsked(it, asked))
  let decided = 0
  for (let at = 0; at < wanted.length; at += AT_ONCE) {
    const done = await Promise.all(wanted.slice(at, at + AT_ONCE).map((it) => decideOne(it.entity_id, asked, reviewer)))
    decided += done.filter(Boolean).length
  }
  return { next: page.at(-1)?.batch?.row ?? behind, decided, ended }
}

/** A row may have made several records: those of the last one may go on behind the page, so they wait for the next. */
function wholeRows(page: readonly Waiting[]): Waiting[] {
  const last = page.at(-1)?.batch?.row
  return page.filter(({ batch }) => batch?.row !== last)
}

const isAsked = ({ batch, open_flags }: Waiting, { rows, flagged, among }: Asked): boolean =>
  (rows.length === 0 || (batch !== null && rows.includes(batch.row))) &&
  (among === undefined || (batch !== null && among.has(batch.row))) &&
  (flagged === null || open_flags > 0 === flagged)

/** Rows that name one another get in each other's way: so often one is read again. */
const ATTEMPTS = 4

async function decideOne(entity_id: string, asked: Asked, reviewer: Actor, attempt = 1): Promise<boolean> {
  const { verdict, feedback } = asked
  const old = await loadHistory(entity_id)
  if (!old || !waits(old)) return false
  try {
    await decide(old, reviewer, {
      verdict,
      feedback,
      conflict_handling: 'not_applicable',
      ...{ confidence_override: null, verification_method: null, reconciliation_note: '', internal_note: '' },
    })
    return true
  } catch (error) {
    if (isConflict(error) && attempt < ATTEMPTS) return decideOne(entity_id, asked, reviewer, attempt + 1)
    if (error instanceof Problem && (isConflict(error) || error.code === 'invalid' || error.code === 'refused'))
      return false
    throw error
  }
}
