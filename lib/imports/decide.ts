import { isConflict, Problem } from '../errors.ts'
import type { Actor } from '../permissions.ts'
import { loadHistory } from '../records/history.ts'
import { byAge, lists, type Waiting, waits } from '../records/queue-entry.ts'
import { decide } from '../review/decide.ts'
import { isContested } from '../review/verdict.ts'
import { parse } from '../table/item.ts'
import { placed } from '../table/keys.ts'
import { walk } from '../table/read.ts'
import { inTurns, together } from '../table/together.ts'
import type { Decide, Decided, Outcome } from './items.ts'
import { sentenceOf } from './references.ts'
import { resultsOf } from './results.ts'

const PAGE = 100
/** So many are decided on at the same time: as a rule in two transactions. */
const AT_ONCE = 20

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

/** How far deciding has come: behind which row, why each record was left, null of one that was not, and whether that was all. */
export type Step = { next: number; reasons: (string | null)[]; ended: boolean }

/**
 * Decides on the next rows of a batch, each by a verdict like any other, under the same rules. What holds a contradiction, what was
 * escalated and what others were faster with is left to be decided on by itself, unless it says how contradictions are settled.
 */
export async function decideRows(id: string, asked: Asked, reviewer: Actor, behind: number): Promise<Step> {
  const found = await waitingRows(id, behind)
  const ended = found.length < PAGE
  const page = ended ? found : wholeRows(found)
  const wanted = page.filter((it) => isAsked(it, asked))
  const reasons: (string | null)[] = []
  await inTurns(wanted, AT_ONCE, async (some) => {
    reasons.push(...(await together(some.map((it) => () => decideOne(it.entity_id, asked, reviewer)))))
  })
  return { next: page.at(-1)?.batch?.row ?? behind, reasons, ended }
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

async function decideOne(entity_id: string, asked: Asked, reviewer: Actor, attempt = 1): Promise<string | null> {
  const { verdict, feedback, conflict_handling } = asked
  const old = await loadHistory(entity_id)
  if (!old || !waits(old)) return null
  try {
    await decide(old, reviewer, {
      verdict,
      feedback,
      conflict_handling: verdict === 'accept' && isContested(old) ? conflict_handling : 'not_applicable',
      ...{ confidence_override: null, verification_method: null, reconciliation_note: '', internal_note: '' },
    })
    return null
  } catch (error) {
    if (isConflict(error) && attempt < ATTEMPTS) return decideOne(entity_id, asked, reviewer, attempt + 1)
    if (error instanceof Problem && (isConflict(error) || error.code === 'invalid' || error.code === 'refused'))
      return sentenceOf(error)
    throw error
  }
}

/** So many different reasons are kept. */
const MOST_REASONS = 10

/** What came of further records, added to what was before. */
export function addDecided(before: Decided, reasons: readonly (string | null)[]): Decided {
  const left = reasons.filter((it) => it !== null)
  return {
    records: before.records + reasons.length - left.length,
    left: before.left + left.length,
    reasons: [...new Set([...before.reasons, ...left])].slice(0, MOST_REASONS),
  }
}
