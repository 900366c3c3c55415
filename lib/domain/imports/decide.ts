import { mapAtOnce, splitIntoParts } from '../../base/concurrency.ts'
import { isConflict, Problem } from '../../base/errors.ts'
import { type Commit, commitTogether, padPlace, parse, walk } from '../../engines/table/index.ts'
import type { Actor } from '../../platform/permissions.ts'
import { inUnit } from '../../platform/unit-of-work.ts'
import { loadHistory } from '../records/history.ts'
import { isWaiting, type QueueEntry, queueByAge, queueLists } from '../records/queue-entry.ts'
import { decide } from '../review/decide.ts'
import { isContested } from '../review/verdict.ts'
import type { BatchResult, Decide, RowOutcome } from './items.ts'
import { firstSentence } from './references.ts'
import { loadResults } from './results.ts'

const PAGE = 100
/** Records decided on in parallel, which usually makes two transactions. */
const AT_ONCE = 20

/** The next waiting records of a batch after a row, in the order of rows. */
async function waitingRows(id: string, behind: number, limit = PAGE): Promise<QueueEntry[]> {
  const beyond = `${padPlace(behind)}#~`
  const items = await walk({ index: 'gsi1', pk: queueLists.batch(id), forward: true, limit, beyond })
  return items.map((item) => parse(queueByAge, item))
}

/** A verdict on a batch. `among` has the rows with the outcome that the verdict is for. */
type BatchVerdict = Decide & { among?: ReadonlySet<number> | undefined }

/** The rows with this outcome in the dry run. */
export async function rowsWithOutcome(id: string, chunks: number, outcome: RowOutcome): Promise<Set<number>> {
  const found = new Set<number>()
  for (let chunk = 0; chunk < chunks; chunk += 1)
    for (const it of await loadResults(id, chunk)) if (it.outcome === outcome) found.add(it.row)
  return found
}

/**
 * The progress of a verdict: the last row, for each record the reason why it was left (null if it was not), and whether all are
 * done.
 */
export type Step = { next: number; reasons: (string | null)[]; ended: boolean }

/**
 * Decides on the next rows of a batch, each by an ordinary verdict under the same rules. Left are escalated records, and those
 * with an unsettled contradiction. A record that others change again and again is left too.
 */
export async function decideRows(
  id: string,
  batchVerdict: BatchVerdict,
  reviewer: Actor,
  behind: number,
): Promise<Step> {
  const found = await waitingRows(id, behind)
  const ended = found.length < PAGE
  const page = ended ? found : wholeRows(found)
  const wanted = page.filter((it) => isWanted(it, batchVerdict))
  const reasons: (string | null)[] = []
  await mapAtOnce(splitIntoParts(wanted, AT_ONCE), 2, async (some) => {
    reasons.push(
      ...(await commitTogether(some.map((it) => (commit) => decideOne(it.entity_id, batchVerdict, reviewer, commit)))),
    )
  })
  return { next: page.at(-1)?.batch?.row ?? behind, reasons, ended }
}

/** A row may have made several records. Those of the last row may continue after the page, so they wait for the next one. */
function wholeRows(page: readonly QueueEntry[]): QueueEntry[] {
  const last = page.at(-1)?.batch?.row
  return page.filter(({ batch }) => batch?.row !== last)
}

const isWanted = ({ batch, open_flags }: QueueEntry, { rows, flagged, among }: BatchVerdict): boolean =>
  (rows.length === 0 || (batch !== null && rows.includes(batch.row))) &&
  (among === undefined || (batch !== null && among.has(batch.row))) &&
  (flagged === null || open_flags > 0 === flagged)

/** Rows that link to the same record conflict, so each is tried this often. */
const ATTEMPTS = 4

async function decideOne(
  entity_id: string,
  batchVerdict: BatchVerdict,
  reviewer: Actor,
  commit: Commit,
  attempt = 1,
): Promise<string | null> {
  const { verdict, feedback, conflict_handling } = batchVerdict
  const old = await loadHistory(entity_id)
  if (!old || !isWaiting(old)) return null
  try {
    const input = {
      verdict,
      feedback,
      conflict_handling: verdict === 'accept' && isContested(old) ? conflict_handling : ('not_applicable' as const),
      confidence_override: null,
      verification_method: null,
      reconciliation_note: '',
      internal_note: '',
      of_batch: true,
    }
    await inUnit((unit) => decide(unit, old, reviewer, input), { commit })
    return null
  } catch (error) {
    if (isConflict(error) && attempt < ATTEMPTS)
      return decideOne(entity_id, batchVerdict, reviewer, commit, attempt + 1)
    if (error instanceof Problem && (isConflict(error) || error.code === 'invalid' || error.code === 'refused'))
      return firstSentence(error)
    throw error
  }
}

/** Different reasons that are kept. */
const MOST_REASONS = 10

/** Adds the results of further records to the earlier ones. */
export function addDecided(before: BatchResult, reasons: readonly (string | null)[]): BatchResult {
  const left = reasons.filter((it) => it !== null)
  return {
    records: before.records + reasons.length - left.length,
    left: before.left + left.length,
    reasons: [...new Set([...before.reasons, ...left])].slice(0, MOST_REASONS),
  }
}
