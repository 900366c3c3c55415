import { mapAtOnce, splitIntoParts } from '../../base/concurrency.ts'
import { isConflict, Problem } from '../../base/errors.ts'
import { commitTogether } from '../../engines/table/immediate.ts'
import { type Commit, countKeys, getMany, padPlace, parse, sumOf, walk } from '../../engines/table/index.ts'
import type { Actor } from '../../platform/permissions.ts'
import { inUnit } from '../../platform/unit-of-work.ts'
import { loadHistory } from '../records/history.ts'
import { isWaiting, type QueueEntry, queueByAge, queueLists } from '../records/queue-entry.ts'
import { decide } from '../review/decide.ts'
import { isContested } from '../review/verdict.ts'
import type { BatchResult, BatchVerdict, RowOutcome } from './items.ts'
import { firstSentence } from './references.ts'
import { loadResults } from './results.ts'

/** Waiting records that one query reads. */
const PAGE = 100
/** Records decided on in parallel. Their writes usually fit into two transactions. */
const AT_ONCE = 20

/** The next waiting records of a batch after the row `behind`, in the order of rows. */
async function listWaiting(id: string, behind: number): Promise<QueueEntry[]> {
  const beyond = `${padPlace(behind)}#~`
  const items = await walk({ index: 'gsi1', pk: queueLists.batch(id), forward: true, limit: PAGE, beyond })
  return items.map((item) => parse(queueByAge, item))
}

/**
 * A verdict on a batch. `among`: the numbers of the rows with the chosen outcome. Without `among` the verdict is on all rows. `batch`: the
 * list that counts the decisions.
 */
type RowsVerdict = BatchVerdict & { among?: ReadonlySet<number> | undefined; batch: string }

/** The numbers of the rows with this outcome in the dry run. */
export async function rowsWithOutcome(id: string, chunks: number, outcome: RowOutcome): Promise<Set<number>> {
  const rows = new Set<number>()
  for (let chunk = 0; chunk < chunks; chunk += 1)
    for (const result of await loadResults(id, chunk)) if (result.outcome === outcome) rows.add(result.row)
  return rows
}

/** One step of a verdict on a batch. */
export type DecidedStep = {
  /** The row after which the next step goes on: the last that this step looked at. */
  next: number
  /** For each record the reason why it was left; null if it was decided on. */
  reasons: (string | null)[]
  /** Whether no row is left. */
  ended: boolean
}

/**
 * Decides on the next rows of a batch, each by an ordinary verdict under the usual rules. Escalated records are left, and those
 * with an unsettled contradiction. A record that others change again and again is left, too.
 */
export async function decideRows(
  id: string,
  verdict: RowsVerdict,
  reviewer: Actor,
  behind: number,
): Promise<DecidedStep> {
  const waiting = await listWaiting(id, behind)
  const ended = waiting.length < PAGE
  const page = ended ? waiting : wholeRows(waiting)
  const chosen = page.filter((entry) => isChosen(entry, verdict))
  const reasons: (string | null)[] = []
  await mapAtOnce(splitIntoParts(chosen, AT_ONCE), 2, async (part) => {
    const tasks = part.map((entry) => (commit: Commit) => decideOne(entry.entity_id, verdict, reviewer, commit))
    reasons.push(...(await commitTogether(tasks)))
  })
  return { next: page.at(-1)?.batch?.row ?? behind, reasons, ended }
}

/**
 * Drops the records of the last row of a page. One row may make several records, and the page may end between them. The next
 * page starts with that row.
 */
function wholeRows(page: readonly QueueEntry[]): QueueEntry[] {
  const last = page.at(-1)?.batch?.row
  return page.filter(({ batch }) => batch?.row !== last)
}

const isChosen = ({ batch, open_flags }: QueueEntry, { rows, flagged, among }: RowsVerdict): boolean =>
  (rows.length === 0 || (batch !== null && rows.includes(batch.row))) &&
  (among === undefined || (batch !== null && among.has(batch.row))) &&
  (flagged === null || open_flags > 0 === flagged)

/** The most attempts to decide on one record. Decisions on records that link to one record may conflict. */
const ATTEMPTS = 4

/** Decides on one record. Returns the reason if it was left, else null. */
async function decideOne(
  entity_id: string,
  { verdict, feedback, conflict_handling, batch }: RowsVerdict,
  reviewer: Actor,
  commit: Commit,
): Promise<string | null> {
  try {
    await inUnit(
      async (unit) => {
        unit.retryOn('conflict', ATTEMPTS)
        const record = await loadHistory(entity_id)
        if (!record || !isWaiting(record)) return
        const settles = verdict === 'accept' && isContested(record)
        await decide(unit, record, reviewer, {
          verdict,
          feedback,
          conflict_handling: settles ? conflict_handling : 'not_applicable',
          confidence_override: null,
          verification_method: null,
          reconciliation_note: '',
          internal_note: '',
          of_batch: true,
          batch_list: batch,
        })
      },
      { commit },
    )
    return null
  } catch (error) {
    if (error instanceof Problem && (isConflict(error) || error.code === 'invalid' || error.code === 'refused'))
      return firstSentence(error)
    throw error
  }
}

/** The most different reasons that an import names. */
const REASON_LIMIT = 10

/**
 * The number of stored decisions of a verdict. A worker that died may have stored decisions without counting them in its progress. One
 * call.
 */
export async function countDecided(batch: string): Promise<number> {
  return sumOf([batch], await getMany(countKeys([batch]), true))
}

/** Adds further records that were left, with the reasons, to the result of a verdict. `records`: the number of records decided on by now. */
export function addLeft(before: BatchResult | null, reasons: readonly (string | null)[], records: number): BatchResult {
  const left = reasons.filter((it) => it !== null)
  return {
    records,
    left: (before?.left ?? 0) + left.length,
    reasons: [...new Set([...(before?.reasons ?? []), ...left])].slice(0, REASON_LIMIT),
  }
}
